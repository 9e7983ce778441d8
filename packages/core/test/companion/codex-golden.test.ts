import { readFileSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { codexService } from "../../src/agents/codex/own-service.ts";
import type { ServiceAnswer, ServiceDesk } from "../../src/agents/service.ts";

// What the service of the real Codex CLI said to a second client (`record-codex` of tooling/e2e): a patch of four files that was declined with
// a reason, the same accepted, a command that was declined; then, over another connection, a patch about which the terminal had asked before.

const messageSchema = z.looseObject({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.looseObject({ excludeTurns: z.boolean().optional() }).optional(),
  result: z.unknown().optional(),
});
const lineSchema = z.union([
  z.strictObject({ connected: z.literal(true) }),
  z.strictObject({ client: messageSchema }),
  z.strictObject({ service: messageSchema }),
]);
type Message = z.infer<typeof messageSchema>;

/** By which a question of ours and one of the transcript are the same. */
const nameOf = ({ method, params }: Message): string => `${method} ${params?.excludeTurns}`;

/** Has our client live through it. */
async function replay(answers: readonly ServiceAnswer[]) {
  // It would be loaded with the first patch, and the service of the transcript does not wait.
  await import("../../src/agents/codex/service-changes.ts");
  const lines = readFileSync(new URL("golden/codex.jsonl", import.meta.url), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => lineSchema.parse(JSON.parse(line)));
  const told: string[] = [];
  const asked: unknown[] = [];
  const sent: Message[] = [];
  const left = [...answers];
  const answer = (question: unknown): ServiceAnswer => {
    asked.push(question);
    return left.shift() ?? { kind: "leave" };
  };
  const desk: ServiceDesk = {
    isOurs: async () => true,
    tell: (event, title) =>
      void told.push([event.kind, "prompt" in event ? event.prompt : undefined, title].filter(Boolean).join(" | ")),
    askAboutPatch: async ({ changes, cwd }) => {
      const before = (path: string): string => (path.endsWith("b.txt") ? "one\nTWO\nthree\n" : "x\r\ny");
      const texts: Record<string, string | undefined> = {};
      for (const { path, source, textAfter } of changes) {
        const now = path.endsWith("b.txt") && asked.length < 2 ? "one\ntwo\nthree\n" : before(path);
        texts[path] = textAfter(path.endsWith("a.txt") ? undefined : now, source && before(source.path));
      }
      return answer({ cwd, texts });
    },
    askAboutCommand: async ({ command, directory }) => answer({ command, directory }),
  };
  for (const [index, line] of lines.entries()) {
    if (!("connected" in line)) continue;
    const next = lines.findIndex((other, at) => at > index && "connected" in other);
    const own = lines.slice(index + 1, next === -1 ? undefined : next);
    await live(own);
  }
  return { told, asked, sent };

  async function live(own: typeof lines): Promise<void> {
    const questions = new Map<number, string>();
    const replies = new Map<string, unknown[]>();
    for (const one of own) {
      if ("client" in one && one.client.id !== undefined && one.client.method !== undefined)
        questions.set(one.client.id, nameOf(one.client));
      if (!("service" in one) || one.service.method !== undefined) continue;
      const name = questions.get(one.service.id ?? -1) ?? "";
      replies.set(name, [...(replies.get(name) ?? []), one.service.result]);
    }
    const wire = {
      clientVersion: "0.0.0",
      expected: new Set<string>(),
      leave: (why: string) => expect.unreachable(why),
      understood: () => {},
      send: (given: Readonly<Record<string, unknown>>) => {
        const message = messageSchema.parse(given);
        sent.push(message);
        if (message.method === undefined || message.id === undefined) return;
        const result = replies.get(nameOf(message))?.shift();
        setImmediate(() => talk.heard({ id: message.id, ...(result === undefined ? { error: {} } : { result }) }));
      },
    };
    const talk = codexService.join(wire, desk);
    for (const one of own) {
      // Whatever is answered here is, before the service goes on.
      for (let passed = 0; passed < 20; passed += 1) await turn();
      if ("service" in one && one.service.method !== undefined) talk.heard(one.service);
      if (!("client" in one) || one.client.method !== undefined) continue;
      const { id, result } = one.client;
      expect(sent.findLast((message) => message.method === undefined)).toEqual({ id, result });
    }
    talk.ended();
  }
}

describe("what the real service of Codex CLI says", () => {
  it("is asked about in the editor, and answered as its user has it", async () => {
    const { told, asked, sent } = await replay([
      { kind: "decline", reason: "Once more, please." },
      { kind: "accept" },
      { kind: "decline", reason: undefined },
      { kind: "accept" },
    ]);
    const whole = {
      "/lab/workspace/a.txt": "new\n",
      "/lab/workspace/b.txt": "one\nTWO\nthree\n",
      "/lab/workspace/c.txt": "",
      "/lab/workspace/d.txt": "x\r\nz\r\n",
      "/lab/workspace/e.txt": "",
    };
    expect(asked).toEqual([
      { cwd: "/lab/workspace", texts: whole },
      { cwd: "/lab/workspace", texts: whole },
      { command: "touch f.txt", directory: "/lab/workspace" },
      { cwd: "/lab/workspace", texts: { "/lab/workspace/b.txt": "one\n2\nthree\n" } },
    ]);
    expect(sent.filter(({ method }) => method === "turn/steer")).toMatchObject([
      { params: { input: [{ type: "text", text: "Once more, please.", text_elements: [] }] } },
    ]);
    expect(told).toEqual([
      "turn-began | Change the files | Change the files",
      "wrote",
      "turn-ended",
      "turn-began | Make f.txt | Change the files",
      "command",
      "turn-ended",
      "session-ended",
      "turn-began | Change b.txt | Change the files",
      "wrote",
      "turn-ended",
      "session-ended",
    ]);
  });
});
