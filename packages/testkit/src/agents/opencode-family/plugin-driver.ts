import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import * as z from "zod";
import { withByteOrderMark } from "../agent-driver.ts";
import { askHook, readVerdict } from "../hook-door.ts";
import { isWithin, readDiscoveryFiles } from "../records.ts";

/** Where a driven opencode runs. */
export interface OpenCodePluginDriverOptions {
  readonly cwd: string;
  readonly home: string;
  /** Absent: opencode. */
  readonly agent?: "opencode" | "kilo";
}

/** What became of a call of a tool. */
export type OpenCodeOutcome =
  /** The tool has run; `note`: what the model reads behind its result. */
  | { readonly kind: "written"; readonly written: string; readonly note?: string }
  /** It did not run; the model reads why, as the tool's error. */
  | { readonly kind: "failed"; readonly reason: string }
  /** The user has pressed Escape twice. */
  | { readonly kind: "interrupted" };

type Arguments = Readonly<Record<string, unknown>>;

const recordSchema = z.object({ workspaceFolders: z.array(z.string()), authToken: z.string() });
const writeSchema = z.object({ filePath: z.string(), content: z.string() });
const editSchema = z.object({ filePath: z.string(), oldString: z.string(), newString: z.string() });

/**
 * opencode 1.18.34, or Kilo CLI 7.7.9, with Patchbay's plugin and without a model: it asks before its tools, as docs/protocols/opencode.md
 * has it, and runs them. Calls that are made at once are those of one answer.
 */
export class OpenCodePluginDriver {
  readonly #options: OpenCodePluginDriverOptions;
  /** Its user is asked about one call after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #escape: AbortController = new AbortController();
  #hasBegun = false;

  constructor(options: OpenCodePluginDriverOptions) {
    this.#options = options;
  }

  async write(filePath: string, content: string): Promise<OpenCodeOutcome> {
    return await this.#call("write", { filePath, content });
  }

  async edit(filePath: string, oldString: string, newString: string): Promise<OpenCodeOutcome> {
    return await this.#call("edit", { filePath, oldString, newString });
  }

  /** A turn begins; gives what the model reads beside the prompt. */
  async prompt(prompt: string): Promise<string | undefined> {
    this.#escape = new AbortController();
    const output = await this.#tell("chat.message", { prompt });
    const verdict = readVerdict(output);
    return verdict?.kind === "told" ? verdict.note : undefined;
  }

  /** The turn has ended. */
  async idle(): Promise<void> {
    await this.#tell("session.idle", {});
  }

  /** The user presses Escape twice: what is asked is asked no more, and nothing that waits behind it. */
  interrupt(): void {
    this.#escape.abort();
  }

  async #call(tool: "write" | "edit", given: Arguments): Promise<OpenCodeOutcome> {
    const { signal } = this.#escape;
    const mine = this.#turn.then(async () =>
      signal.aborted
        ? undefined
        : await this.#tell("tool.execute.before", { tool_name: tool, tool_input: given }, signal),
    );
    this.#turn = mine;
    const output = await mine;
    if (signal.aborted) return { kind: "interrupted" };
    const verdict = readVerdict(output);
    if (verdict?.kind === "deny") return { kind: "failed", reason: verdict.reason };
    const isChanged = verdict?.kind === "allow-changed";
    const used = isChanged ? verdict.arguments : given;
    const written = this.#run(tool, used);
    await this.#tell("tool.execute.after", { tool_name: tool, tool_input: used });
    return { kind: "written", written, ...(isChanged ? { note: verdict.note } : {}) };
  }

  async #tell(moment: string, more: Arguments, signal = new AbortController().signal): Promise<string | undefined> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      await this.#tell("SessionStart", {});
    }
    const { cwd, home, agent = "opencode" } = this.#options;
    const records = readDiscoveryFiles(join(home, ".claude", "ide"), /^\d+\.lock$/u).flatMap((file) => {
      const { workspaceFolders = [], authToken: token = "" } = recordSchema.safeParse(file.content).data ?? {};
      const nearest = Math.max(
        0,
        ...workspaceFolders.filter((root) => isWithin(root, cwd)).map(({ length }) => length),
      );
      return nearest === 0 ? [] : [{ ...file, token, nearest }];
    });
    const [found] = records.toSorted((a, b) => b.nearest - a.nearest || b.modifiedMs - a.modifiedMs);
    if (found === undefined) return undefined;
    const door = { port: Number.parseInt(found.name, 10), token: found.token, agent };
    return await askHook(door, { session_id: "ses_1", cwd, hook_event_name: moment, ...more }, signal);
  }

  #run(tool: "write" | "edit", given: Arguments): string {
    const file = resolve(this.#options.cwd, String(given["filePath"]));
    const before = existsSync(file) ? readFileSync(file, "utf8") : "";
    const text = tool === "write" ? writeSchema.parse(given).content : edited(before, given);
    const written = before.startsWith("\ufeff") ? withByteOrderMark(text) : text;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, written);
    return written;
  }
}

/** The old text, which stands in the file once, gives way to the new one, both with the line ends of the file. */
function edited(file: string, given: Arguments): string {
  const { oldString, newString } = editSchema.parse(given);
  if (file === "" && oldString === "") return newString;
  const body = file.replace(/^\ufeff/u, "");
  const ended = (text: string): string =>
    text.replaceAll("\r\n", "\n").replaceAll("\n", body.includes("\r\n") ? "\r\n" : "\n");
  const parts = body.split(ended(oldString));
  if (parts.length !== 2) throw new Error("It would look for what is nearly the same.");
  return parts.join(ended(newString));
}
