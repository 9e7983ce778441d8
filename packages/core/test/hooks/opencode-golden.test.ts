import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { agentOf } from "../../src/agents/catalogue.ts";
import { attachOpenCode } from "../../src/agents/opencode-family/plugin.ts";

// What the real programs told a plugin in a turn: a file written, two edited in one answer, a command run (`record-opencode-plugin` of
// tooling/e2e). Edits are asked about in the terminal there, and the plugin wrote another text than the model.

const lineSchema = z.union([
  z.strictObject({ host: z.object({ directory: z.string() }) }),
  z.strictObject({
    event: z.looseObject({ type: z.string(), properties: z.looseObject({ id: z.string().optional() }) }),
  }),
  z.strictObject({
    hook: z.enum(["chat.message", "tool.execute.before", "tool.execute.after"]),
    input: z.record(z.string(), z.unknown()),
    output: z.record(z.string(), z.unknown()),
  }),
]);

/** Has our plugin live through it. `verdict`: what the editor says before each tool. */
async function replay(id: "opencode" | "kilo", verdict: string | undefined) {
  const text = readFileSync(new URL(`golden/${id}.jsonl`, import.meta.url), "utf8");
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => lineSchema.parse(JSON.parse(line)));
  const told: Readonly<Record<string, unknown>>[] = [];
  const replies: unknown[] = [];
  const refused: unknown[] = [];
  const outputs: unknown[] = [];
  const [first] = lines;
  const client = { postSessionIdPermissionsPermissionId: async (reply: unknown) => void replies.push(reply) };
  const plugin = attachOpenCode(
    { ...(first !== undefined && "host" in first ? first.host : {}), client },
    {
      ask: async (event) => {
        told.push(event);
        return event["hook_event_name"] === "tool.execute.before" ? verdict : undefined;
      },
      editorOf: async () => "Editor",
    },
  );
  for (const line of lines) {
    if ("event" in line) await plugin.event({ event: line.event });
    else if ("hook" in line) {
      await plugin[line.hook](line.input, line.output).catch((error: unknown) => refused.push(error));
      outputs.push(line.output);
    }
  }
  const asked = lines.flatMap((line) =>
    "event" in line && line.event.type === "permission.asked" ? [line.event.properties.id] : [],
  );
  return { told, replies, refused, outputs, asked };
}

describe.each(["opencode", "kilo"] as const)("what the real %s tells a plugin", (id) => {
  it("is told to the editor: the turn, each tool that writes or runs before and after it, and its end", async () => {
    const { told } = await replay(id, undefined);
    const order = told.map(({ hook_event_name: name, tool_name: tool }) => [name, tool].filter(Boolean).join(" "));
    expect(order.toSorted()).toEqual(
      [
        "SessionStart",
        "chat.message",
        "tool.execute.before write",
        "tool.execute.after write",
        "tool.execute.before edit",
        "tool.execute.before edit",
        "tool.execute.after edit",
        "tool.execute.after edit",
        "tool.execute.before bash",
        "tool.execute.after bash",
        "session.idle",
      ].toSorted(),
    );
    expect([order[0], order[1], order.at(-1)]).toEqual(["SessionStart", "chat.message", "session.idle"]);
    expect(new Set(told.map(({ session_id: session, cwd }) => `${String(session)} ${String(cwd)}`))).toEqual(
      new Set(["ses_1 /folder"]),
    );
    expect(told[1]).toMatchObject({ prompt: expect.stringContaining("Please change them") });
  });

  it("names the files that are written, and what stands in them then, and the command", async () => {
    const { told } = await replay(id, undefined);
    const hook = await agentOf(id).loadHook?.();
    const read = told.map((event) => hook?.read(event));
    const writes = read.flatMap((event) => (event?.kind === "write" ? event.changes : []));
    expect(Object.fromEntries(writes.map(({ path, textAfter }) => [path, textAfter("one\ntwo\n")]))).toEqual({
      "/folder/a.txt": "1\ntwo\n",
      "/folder/b.txt": "one\n2\n",
      "/folder/new.txt": "new\n",
    });
    expect(read).toContainEqual(expect.objectContaining({ kind: "command", command: "echo ran > ran.txt" }));
    const wrote = read.flatMap((event) => (event?.kind === "wrote" ? event.files : []));
    expect(wrote.map(({ path }) => path).toSorted()).toEqual(["/folder/a.txt", "/folder/b.txt", "/folder/new.txt"]);
  });

  it("has all its questions answered of what the user has said yes to, and none without a yes", async () => {
    const { replies, asked, refused } = await replay(id, '{"kind":"allow"}');
    expect(asked).toHaveLength(3);
    expect(replies).toEqual(
      asked.map((permissionID) => ({ path: { id: "ses_1", permissionID }, body: { response: "once" } })),
    );
    expect(refused).toEqual([]);
    expect((await replay(id, undefined)).replies).toEqual([]);
  });

  it("takes the user's arguments and a no, each in the form in which it hears of them", async () => {
    const args = { filePath: "/folder/new.txt", content: "mine\n" };
    const { outputs, refused } = await replay(
      id,
      JSON.stringify({ kind: "allow-changed", arguments: args, note: "Note." }),
    );
    expect(refused).toEqual([]);
    // Before a tool: its arguments; after it: what the model reads.
    expect(outputs[1]).toEqual({ args });
    expect(outputs).toContainEqual(expect.objectContaining({ output: "Wrote file successfully.\n\nNote." }));
    const no = await replay(id, '{"kind":"deny","reason":"Not this."}');
    expect(no.refused.map(String)).toEqual(Array.from({ length: 4 }, () => "Error: Not this."));
  });
});
