import { readFile } from "node:fs/promises";
import { createNodePlatform, nullLogger } from "@patchbay/core";
import { claudeScenarios, type RecordedLine, ReplayedProgram, ScenarioPlayer } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ClaudeSession } from "../../src/claude-stream/session.ts";
import type { Entry, SessionUpdate } from "../../src/model/index.ts";

const line = z.object({ dir: z.enum(["in", "out", "host"]), body: z.unknown() });
const hostLine = z.object({ path: z.string(), text: z.string().optional() });

/** How each conversation looks in the end. */
const looks: Readonly<Record<string, readonly string[]>> = {
  edits: [
    "message: Hello **there**.",
    "done",
    "Write a.txt: done",
    "permission? Yes",
    "message: Written.",
    "done",
    "Write c.txt: done",
    "permission? Yes",
    "message: Written again.",
    "done",
    "Read b.txt: done",
    "Edit b.txt: done",
    "permission? Yes",
    "message: Edited.",
    "done",
    "Edit b.txt: rejected",
    "permission? No: leave it",
    "message: Then not.",
    "done",
  ],
  commands: [
    "Bash: Says hello: done",
    "permission? Yes",
    "message: Said.",
    "done",
    "Bash: touch never.txt: rejected",
    "permission? No",
    "message: Then not.",
    "done",
    "Bash: printf missing > /workspace-is-not-here/x: failed",
    "permission? Yes",
    "message: It failed.",
    "done",
  ],
  stops: [
    "Bash: touch asked.txt: cancelled",
    "permission? withdrawn",
    "stopped",
    "Bash: touch running.txt; tail -f /dev/null: cancelled",
    "permission? Yes",
    "stopped",
    "message: Going on.",
    "done",
  ],
  options: [
    "Write a.txt: done",
    "permission? Yes, and switch to “Edit freely” for this session. Changes files without asking, also by commands such as rm; asks for other commands.",
    "message: Written.",
    "done",
    "Write d.txt: done",
    "message: Written without a question.",
    "done",
    "message: As another model.",
    "done",
  ],
  questions: [
    "form? Which one? neither\nWhich ones? C, D",
    "message: Thanks.",
    "done",
    "plan? No: shorter",
    "message: Shorter, then.",
    "done",
    "plan? Yes, go ahead",
    "message: I begin.",
    "done",
  ],
  subagents: [
    "Task: look: done",
    "  Bash: touch sub.txt: done",
    "permission? Yes",
    "message: It has looked.",
    "done",
    "mcp__companion__getDiagnostics: /nowhere/a.txt: done",
    "message: No problems.",
    "done",
  ],
  rewinds: [
    "Write a.txt: done",
    "permission? Yes",
    "message: Written.",
    "done",
    "info: The agent has forgotten the conversation up to here.",
    "done",
    "message: Fresh.",
    "done",
  ],
  "signed-out": ["error: Not logged in · Please run /login", "failed"],
};

async function recorded(name: string): Promise<readonly RecordedLine[]> {
  const text = await readFile(new URL(`../golden/claude/${name}.jsonl`, import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((one) => {
      const { dir, body } = line.parse(JSON.parse(one));
      return { dir, body };
    });
}

function look(updates: readonly SessionUpdate[]): readonly string[] {
  const entries = new Map<string, Entry>();
  for (const update of updates) if (update.type === "entry") entries.set(update.entry.id, update.entry);
  return [...entries.values()].map(shown);
}

function shown(entry: Entry): string {
  switch (entry.kind) {
    case "message":
    case "thought":
      return `${entry.kind}: ${entry.text}`;
    case "tool":
      return `${entry.parent === undefined ? "" : "  "}${entry.title}: ${entry.state}`;
    case "question":
      return `${entry.question.type}? ${entry.outcome?.type === "answered" ? entry.outcome.summary : entry.outcome?.type}`;
    case "notice":
      return `${entry.level}: ${entry.text}`;
    case "turn-end":
      return entry.reason;
    default:
      return entry.kind;
  }
}

describe("a recorded conversation with Claude Code", () => {
  it.each(claudeScenarios.map(({ name, play }) => ({ name, play })))(
    "is held in the same way: $name",
    async ({ name, play }) => {
      const lines = await recorded(name);
      const texts = lines.flatMap(({ dir, body }) => (dir === "host" ? [hostLine.parse(body)] : []));
      const program = new ReplayedProgram(lines);
      const { clock } = createNodePlatform();
      const session = new ClaudeSession({
        ports: { children: program.children, clock, logger: nullLogger },
        host: {
          readText: async () => await Promise.resolve(texts.shift()?.text),
          writeText: async () => await Promise.reject(new Error("Claude Code writes files itself.")),
          saveIfDirty: async () => await Promise.resolve(false),
          // Behind a change no problems are waited for.
          problems: async (path) =>
            path.startsWith("/nowhere") ? [] : await Promise.reject(new Error("There are none.")),
          mayRead: () => true,
          locate: async () => await Promise.resolve({ isInside: true, isShared: true }),
        },
        cwd: "/workspace",
        start: { kind: "new" },
        launch: async (args, environment) => await Promise.resolve({ program: "/claude", args, environment }),
        autosave: true,
      });
      const player = new ScenarioPlayer(session);
      await session.start();
      await play(player);
      await session.close();
      const inOrder = (messages: readonly unknown[]): readonly string[] =>
        messages.map((one) => JSON.stringify(one)).sort();
      expect(inOrder(program.heard)).toEqual(inOrder(program.expected));
      expect(look(player.updates)).toEqual(looks[name]);
    },
  );
});
