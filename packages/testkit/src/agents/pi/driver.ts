import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import * as z from "zod";
import { askHook, readVerdict } from "../hook-door.ts";
import { isWithin, readDiscoveryFiles } from "../records.ts";

/** Where a driven Pi runs. */
export interface PiDriverOptions {
  readonly cwd: string;
  readonly home: string;
}

/** What became of a call of a tool. */
export type PiOutcome =
  /** The tool has run; `note`: what the model reads beside its result. */
  | { readonly kind: "written"; readonly written: string; readonly note?: string }
  /** It was blocked; the model reads why. */
  | { readonly kind: "blocked"; readonly reason: string }
  /** The user has pressed Escape. */
  | { readonly kind: "interrupted" };

type Arguments = Readonly<Record<string, unknown>>;

const recordSchema = z.object({ workspaceFolders: z.array(z.string()), authToken: z.string() });
const writeSchema = z.object({ path: z.string(), content: z.string() });
const editSchema = z.object({
  path: z.string(),
  edits: z.array(z.object({ oldText: z.string(), newText: z.string() })),
});

/** Pi 0.74.2 with Patchbay's extension and without a model: it asks before its tools, as docs/protocols/pi.md has it, and runs them. */
export class PiDriver {
  readonly #options: PiDriverOptions;
  readonly #escape: AbortController = new AbortController();

  constructor(options: PiDriverOptions) {
    this.#options = options;
  }

  async write(path: string, content: string): Promise<PiOutcome> {
    return await this.#call("write", { path, content });
  }

  async edit(path: string, ...pairs: readonly (readonly [oldText: string, newText: string])[]): Promise<PiOutcome> {
    return await this.#call("edit", { path, edits: pairs.map(([oldText, newText]) => ({ oldText, newText })) });
  }

  /** The user presses Escape: what is asked is asked no more. */
  interrupt(): void {
    this.#escape.abort();
  }

  async #call(tool: "write" | "edit", given: Arguments): Promise<PiOutcome> {
    const output = await this.#ask(tool, given);
    if (this.#escape.signal.aborted) return { kind: "interrupted" };
    const verdict = readVerdict(output);
    if (verdict?.kind === "deny") return { kind: "blocked", reason: verdict.reason };
    const isChanged = verdict?.kind === "allow-changed";
    const written = this.#run(tool, isChanged ? verdict.arguments : given);
    return { kind: "written", written, ...(isChanged ? { note: verdict.note } : {}) };
  }

  /** Of the folder's editor; undefined: there is none, or it has no opinion. */
  async #ask(tool: string, given: Arguments): Promise<string | undefined> {
    const { cwd, home } = this.#options;
    for (const { name, content } of readDiscoveryFiles(join(home, ".patchbay", "pi"), /^\d+\.lock$/u)) {
      const record = recordSchema.safeParse(content).data;
      if (record?.workspaceFolders.some((folder) => isWithin(folder, cwd)) !== true) continue;
      const event = { session_id: "pi", cwd, hook_event_name: "tool_call", tool_name: tool, tool_input: given };
      const door = { port: Number.parseInt(name, 10), token: record.authToken };
      return await askHook(door, event, this.#escape.signal);
    }
    return undefined;
  }

  #run(tool: "write" | "edit", given: Arguments): string {
    const file = resolve(this.#options.cwd, String(given["path"]));
    const text = tool === "write" ? writeSchema.parse(given).content : edited(readFileSync(file, "utf8"), given);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return text;
  }
}

/** Each old text is taken from the file as it was; line ends are all as the first one. */
function edited(file: string, given: Arguments): string {
  const mark = file.startsWith("\ufeff") ? "\ufeff" : "";
  const body = file.slice(mark.length);
  const ending = /\r?\n/u.exec(body)?.[0] ?? "\n";
  const text = body.replaceAll(/\r\n?/gu, "\n");
  const places = editSchema
    .parse(given)
    .edits.map(({ oldText, newText }) => ({ at: text.indexOf(oldText), oldText, newText }))
    .toSorted((one, other) => other.at - one.at);
  let now = text;
  for (const { at, oldText, newText } of places) {
    if (at < 0 || text.split(oldText).length !== 2) throw new Error("It would refuse.");
    now = now.slice(0, at) + newText + now.slice(at + oldText.length);
  }
  return mark + now.replaceAll("\n", ending);
}
