import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentId } from "@patchbay/core";
import { kindOf } from "../agents/index.ts";
import { listenModelServer, type Turn } from "../models/model-server.ts";
import { ensurePrerequisites } from "../prerequisites/prerequisites.ts";
import { createLab } from "../support/lab.ts";
import { run } from "../support/processes.ts";

// Writes down what the real opencode and Kilo tell a plugin of a turn: the golden transcripts of core's tests. The plugin answers their
// questions, as ours does, and puts a text into the arguments of the first write.

const goldens = fileURLToPath(new URL("../../../../packages/core/test/hooks/golden", import.meta.url));

/** Of the events, those that say something of a turn. */
const kept: readonly string[] = [
  "session.created",
  "session.idle",
  "session.error",
  "message.part.updated",
  "permission.asked",
];

/** The plugin that writes down; `calls` is where. */
const plugin = (calls: string): string => `
import { appendFileSync } from "node:fs";
const say = (line) => appendFileSync(${JSON.stringify(calls)}, JSON.stringify(line) + "\\n");
export default async function recorder(host) {
  say({ host: { directory: host.directory } });
  const answer = ({ id, sessionID }) => {
    const path = { id: sessionID, permissionID: id };
    return host.client.postSessionIdPermissionsPermissionId({ path, body: { response: "once" } });
  };
  const hook = (name) => async (input, output) => say({ hook: name, input, output });
  return {
    event: async ({ event }) => {
      if (!${JSON.stringify(kept)}.includes(event.type)) return;
      if (event.type === "message.part.updated" && event.properties.part.type !== "tool") return;
      // Before the agent itself does, which refuses what it is asked without a person.
      const isAnswered = event.type === "permission.asked" ? answer(event.properties) : undefined;
      say({ event });
      await isAnswered;
    },
    "chat.message": hook("chat.message"),
    "tool.execute.before": async (input, output) => {
      say({ hook: "tool.execute.before", input, output });
      if (input.tool === "write") output.args.content = "changed by the plugin\\n";
    },
    "tool.execute.after": hook("tool.execute.after"),
  };
}
`;

/** Ids that the agent makes up, in the order in which they come. */
class Names {
  readonly #known: Map<string, string> = new Map();
  readonly #counts: Map<string, number> = new Map();

  of(text: string): string {
    return text.replaceAll(/\b(ses|msg|prt|per|evt)_\w+/gu, (id, kind: string) => {
      const known = this.#known.get(id) ?? `${kind}_${this.#next(kind)}`;
      this.#known.set(id, known);
      return known;
    });
  }

  #next(kind: string): number {
    const next = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, next);
    return next;
  }
}

/** What differs from run to run. */
const ofRun: ReadonlySet<string> = new Set([
  "time",
  "slug",
  "version",
  "title",
  "cost",
  "tokens",
  "diff",
  "patch",
  "diagnostics",
]);

async function record(id: AgentId): Promise<readonly string[]> {
  const kind = kindOf(id);
  const lab = await createLab();
  const model = await listenModelServer(kind.protocol);
  try {
    await kind.configure(lab);
    const calls = join(lab.root, "calls.jsonl");
    const folder = join(lab.home, ".config", id, "plugin");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "recorder.js"), plugin(calls));
    const at = (name: string): string => join(lab.workspace, name);
    for (const name of ["a.txt", "b.txt"]) await writeFile(at(name), "one\ntwo\n");
    const [, edit] = kind.editTurns(at("a.txt"), "one", "1");
    const [, other] = kind.editTurns(at("b.txt"), "two", "2");
    if (edit?.kind !== "tool" || other?.kind !== "tool") throw new Error("an edit is not one call");
    const turns: readonly Turn[] = [
      ...kind.writeTurns(at("new.txt"), "new\n"),
      { kind: "tools", calls: [edit, other].map(({ name, input }) => ({ name, input })) },
      ...kind.commandTurns("echo ran > ran.txt"),
    ];
    model.play(...turns);
    const [program = "", ...words] = [...kind.command(), ...(kind.headless?.("Please change them") ?? [])];
    // Kilo ends with 1 where it was asked anything, whoever has answered.
    await run(program, words, {
      cwd: lab.workspace,
      env: { ...lab.env, ...kind.environment(lab, model.url) },
      timeout: 120_000,
    });
    const written = await Promise.all(
      ["new.txt", "a.txt", "b.txt", "ran.txt"].map((name) => readFile(at(name), "utf8")),
    );
    if (written.join("") !== "changed by the plugin\n1\ntwo\none\n2\nran\n")
      throw new Error(`it has not written what it was told: ${JSON.stringify(written)}`);
    const names = new Names();
    const lines = (await readFile(calls, "utf8")).trimEnd().split("\n");
    return lines.map((line) => {
      const value: unknown = JSON.parse(line, (key, member: unknown) => (ofRun.has(key) ? undefined : member));
      const text = JSON.stringify(value)
        .replaceAll(lab.workspace, "/folder")
        .replaceAll(lab.workspace.slice(1), "folder");
      return names.of(text);
    });
  } finally {
    model.close();
    await lab.dispose();
  }
}

await mkdir(goldens, { recursive: true });
await ensurePrerequisites(["opencode", "kilo"], (line) => console.log(line));
for (const id of ["opencode", "kilo"] as const) {
  const lines = await record(id);
  await writeFile(join(goldens, `${id}.jsonl`), `${lines.join("\n")}\n`);
  console.log(`${id}: ${lines.length} lines`);
}
