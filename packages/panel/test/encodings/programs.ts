import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { type AgentId, agentOf, nullLogger, type Platform } from "@patchbay/core";
import {
  type AcpProfile,
  AcpSession,
  type AgentSession,
  ClaudeSession,
  geminiProfile,
  offeredProfiles,
  qwenProfile,
  type SessionRequest,
} from "@patchbay/conversations";
import { createAcpAgent, ScriptedClaude } from "@patchbay/testkit";
import { PiLab } from "../../../conversations/test/pi-rpc/pi-lab.ts";

/** What a model wants of a file. */
export type Act =
  | { readonly tool: "write"; readonly content: string }
  | { readonly tool: "edit"; readonly edits: readonly (readonly [from: string, to: string])[] };

/** A program that writes files as the real one does, and the driver that speaks with it. */
export interface WritingProgram {
  readonly name: string;
  /** The user's text is written in the place of its own. */
  readonly isEditable: boolean;
  /** What it is about to write is known to the last byte. */
  readonly tellsEnds: boolean;
  /** What it leaves in the file where nobody is in between, as it was seen (docs/protocols). Undefined: it has no such tool. */
  readonly family: "claude" | "gemini" | "qwen" | "pi" | "own";
  connect(request: SessionRequest, platform: Platform, path: string, act: Act): AgentSession;
}

/** Files on the disk, as a program has them. */
class Disk extends Map<string, string> {
  override get(path: string): string | undefined {
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  }

  override set(path: string, text: string): this {
    writeFileSync(path, text);
    return this;
  }
}

const tools = {
  claude: { before: "PreToolUse", write: "Write", edit: "Edit" },
  gemini: { before: "BeforeTool", write: "write_file", edit: "replace" },
  qwen: { before: "PreToolUse", write: "write_file", edit: "edit" },
  pi: { before: "tool_call", write: "write", edit: "edit" },
} as const;

/** What a tool of a program makes of its file: core's tests have it as the real programs left it on disk. */
async function textAfter(
  agent: AgentId & keyof typeof tools,
  tool: string,
  given: Readonly<Record<string, unknown>>,
  before: string | undefined,
): Promise<string | undefined> {
  const event = {
    session_id: "s",
    hook_event_name: tools[agent].before,
    tool_name: tool,
    tool_input: given,
  };
  const read = (await agentOf(agent).loadHook?.())?.read(event);
  return read?.kind === "write" ? read.changes[0]?.textAfter(before) : undefined;
}

const claude: WritingProgram = {
  name: "Claude Code",
  isEditable: true,
  tellsEnds: true,
  family: "claude",
  connect: ({ host, about, start }, { clock }, path, act) => {
    const program = new ScriptedClaude({ files: new Disk() });
    program.play(async (turn) => {
      if (act.tool === "write") return void (await turn.uses("Write", { file_path: path, content: act.content }));
      const edits = act.edits.map(([from, to]) => ({ old_string: from, new_string: to }));
      await (edits.length === 1
        ? turn.uses("Edit", { file_path: path, ...edits[0] })
        : turn.uses("MultiEdit", { file_path: path, edits }));
    });
    return new ClaudeSession({
      ports: { children: program.children, clock, logger: nullLogger },
      host,
      cwd: about.folder,
      start,
      autosave: true,
      launch: async (args, environment) => await Promise.resolve(program.launch(args, environment)),
    });
  },
};

const pi: WritingProgram = {
  name: "Pi",
  isEditable: true,
  tellsEnds: true,
  family: "pi",
  connect: ({ host, about, start }, { clock, files }, path, act) => {
    const lab = new PiLab({}, { host, files, cwd: about.folder, start });
    const tool = act.tool;
    const given =
      act.tool === "write"
        ? { path, content: act.content }
        : { path, edits: act.edits.map(([oldText, newText]) => ({ oldText, newText })) };
    const soon = async (): Promise<void> => await new Promise<void>((resolve) => void clock.setTimeout(resolve, 1));
    const play = async (): Promise<void> => {
      while (lab.told("prompt").length === 0) await soon();
      lab.say({ type: "agent_start" });
      lab.say({ type: "message_end", message: { role: "user", content: [{ type: "text", text: "Do it" }] } });
      const call = { id: "c1", name: tool, arguments: given };
      lab.message([{ type: "toolCall", ...call }], { stopReason: "toolUse" });
      lab.say({ type: "tool_execution_start", toolCallId: "c1", toolName: tool, args: given });
      lab.request("r1", { moment: "before", id: "c1", tool, input: given });
      while (lab.reply("r1") === undefined) await soon();
      const reply = lab.reply("r1") ?? {};
      if (reply["kind"] === "deny") return lab.end();
      const changed = reply["arguments"];
      const used = typeof changed === "object" && changed !== null ? { ...changed } : given;
      const disk = new Disk();
      const after = await textAfter("pi", tool, used, disk.get(path));
      if (after !== undefined) disk.set(path, after);
      const result = { content: [{ type: "text", text: "Written." }] };
      lab.say({ type: "tool_execution_end", toolCallId: "c1", toolName: tool, result, isError: after === undefined });
      lab.message([{ type: "text", text: "Done." }]);
      lab.end();
    };
    void play();
    return lab.session;
  },
};

/** Lines as these agents show them; the mark of a file is no part of what an edit replaces. */
function shown(text: string | undefined, act: Act): string {
  const lines = (text ?? "").replaceAll("\r\n", "\n");
  return act.tool === "edit" ? lines.replace(/^\uFEFF/u, "") : lines;
}

function familyProgram(name: string, profile: AcpProfile, agent: "gemini" | "qwen"): WritingProgram {
  return {
    name,
    isEditable: true,
    tellsEnds: false,
    family: agent,
    connect: ({ host, about, start }, { clock }, path, act) => {
      const program = createAcpAgent(agent);
      program.play(async (turn) => {
        const tool = act.tool === "write" ? tools[agent].write : tools[agent].edit;
        const read = async (): Promise<string | undefined> => {
          const { result, error } = await program.askRaw("fs/read_text_file", { sessionId: program.sessionId, path })
            .reply;
          if (error !== undefined) return undefined;
          const { content } = result as { readonly content: string };
          return content === "" && !existsSync(path) ? undefined : content;
        };
        const made = async (held: string | undefined): Promise<string> => {
          const given =
            act.tool === "write"
              ? { content: act.content }
              : { old_string: act.edits[0]?.[0], new_string: act.edits[0]?.[1] };
          return (await textAfter(agent, tool, { file_path: path, ...given }, held)) ?? "";
        };
        const held = await read();
        const after = await made(held);
        const id = `${tool}__1`;
        const content = [{ type: "diff", path, oldText: shown(held, act), newText: shown(after, act) }];
        const call = { toolCallId: id, title: path, content, locations: [{ path }], kind: "edit" };
        const options = [{ optionId: "proceed_once", name: "Allow", kind: "allow_once" }];
        const about = { sessionId: program.sessionId, options, toolCall: { ...call, status: "pending" } };
        const { outcome } = (await program.ask("session/request_permission", about)) as {
          readonly outcome: { readonly outcome: string };
        };
        if (outcome.outcome !== "selected") return;
        const written = await made(await read());
        const hasReturns = agent === "qwen" && written.includes("\r\n");
        await program.ask("fs/write_text_file", {
          sessionId: program.sessionId,
          path,
          content: hasReturns ? written.replaceAll("\r\n", "\n") : written,
          ...(hasReturns ? { _meta: { lineEnding: "crlf" } } : {}),
        });
        turn.update({ sessionUpdate: "tool_call_update", ...call, status: "completed" });
      });
      return new AcpSession({
        profile,
        createProcess: async () => await Promise.resolve(program.channel),
        version: "0.0.0",
        clock,
        logger: nullLogger,
        host,
        cwd: about.folder,
        start,
        runId: randomUUID(),
        autosave: true,
      });
    },
  };
}

/** An agent that writes by itself what it has asked for. `tells`: as what it tells the file, and its text. */
function ownProgram(
  name: string,
  profile: AcpProfile,
  tells: (held: string, after: string, act: Act) => readonly [before: string, after: string],
): WritingProgram {
  return {
    name,
    isEditable: false,
    tellsEnds: false,
    family: "own",
    connect: ({ host, about, start }, { clock }, path, act) => {
      const program = createAcpAgent("qwen");
      program.play(async (turn) => {
        const disk = new Disk();
        const held = disk.get(path);
        const after = ownText(held, act);
        const [oldText, newText] = tells(held ?? "", after, act);
        const told = held === undefined ? {} : { oldText };
        const content = [{ type: "diff", path, ...told, newText }];
        const call = { toolCallId: "1", title: path, content, locations: [{ path }], kind: "edit" };
        const options = [{ optionId: "once", name: "Allow", kind: "allow_once" }];
        const asked = { sessionId: program.sessionId, options, toolCall: { ...call, status: "pending" } };
        const { outcome } = (await program.ask("session/request_permission", asked)) as {
          readonly outcome: { readonly outcome: string };
        };
        if (outcome.outcome !== "selected") return;
        disk.set(path, after);
        turn.update({ sessionUpdate: "tool_call_update", ...call, status: "completed" });
      });
      return new AcpSession({
        profile,
        createProcess: async () => await Promise.resolve(program.channel),
        version: "0.0.0",
        clock,
        logger: nullLogger,
        host,
        cwd: about.folder,
        start,
        runId: randomUUID(),
        autosave: true,
      });
    },
  };
}

/** It keeps what it does not change. */
function ownText(held: string | undefined, act: Act): string {
  if (act.tool === "write") return act.content;
  return act.edits.reduce((text, [from, to]) => {
    const ends = text.includes("\r\n")
      ? (part: string): string => part.replaceAll("\n", "\r\n")
      : (part: string) => part;
    return text.replace(ends(from), () => ends(to));
  }, held ?? "");
}

const profileOf = (id: string): AcpProfile => {
  const found = offeredProfiles.find((profile) => profile.id === id);
  if (found === undefined) throw new Error(`no profile ${id}`);
  return found;
};
const plain = (text: string): string => text.replace(/^\uFEFF/u, "").replaceAll("\r\n", "\n");

export const programs: readonly WritingProgram[] = [
  claude,
  familyProgram("Gemini CLI", geminiProfile, "gemini"),
  familyProgram("Qwen Code", qwenProfile, "qwen"),
  pi,
  ownProgram("opencode", profileOf("opencode"), (held, after) => [held, after]),
  ownProgram("opencode, which tells lines", profileOf("opencode"), (held, after) => [plain(held), plain(after)]),
  ownProgram("Copilot CLI", profileOf("copilot"), (held, after, act) =>
    act.tool === "write" || act.edits.length > 1 ? [held, after] : [act.edits[0]?.[0] ?? "", act.edits[0]?.[1] ?? ""],
  ),
];
