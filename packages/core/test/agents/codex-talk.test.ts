import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { codexService } from "../../src/agents/codex/own-service.ts";
import type { ServiceDesk } from "../../src/agents/service.ts";

type Message = Readonly<Record<string, unknown>>;
type Asked = Message & { readonly id: number; readonly method: string; readonly params: Message };

const idle = { type: "idle" };
const active = { type: "active", activeFlags: [] };

/** Our client of a service whose answers the test gives. `open`: the folders of the editor. */
function talk(open: Set<string>) {
  const sent: Asked[] = [];
  const desk: ServiceDesk = {
    isOurs: async (folder) => open.has(folder),
    tell: () => {},
    askAboutPatch: async () => ({ kind: "leave" }),
    askAboutCommand: async () => ({ kind: "leave" }),
  };
  const wire = {
    clientVersion: "0.0.0",
    expected: new Set<string>(),
    leave: (why: string) => expect.unreachable(why),
    understood: () => {},
    send: (message: Message) => void sent.push(message as Asked),
  };
  const own = codexService.join(wire, desk);
  const said = async (message: Message): Promise<void> => {
    own.heard(message);
    for (let passed = 0; passed < 10; passed += 1) await turn();
  };
  return {
    /** The last thing that was asked for by this name, if nobody has answered it. */
    asked: (method: string): readonly Asked[] => sent.filter((one) => one.method === method),
    answer: async (method: string, answer: Message): Promise<void> => {
      const at = sent.findIndex((one) => one.method === method);
      expect(at, method).not.toBe(-1);
      const [question] = sent.splice(at, 1);
      await said({ id: question?.id, ...answer });
    },
    begins: async (id: string, cwd: string): Promise<void> =>
      await said({ method: "thread/started", params: { thread: { id, cwd, ephemeral: false, status: idle } } }),
    moves: async (id: string, status: Message = active): Promise<void> =>
      await said({ method: "thread/status/changed", params: { threadId: id, status } }),
  };
}

const refused = { error: { code: -32600, message: "no rollout found" } };

describe("a client of Codex CLI's service", () => {
  it("asks to join once more where it was refused and has heard of the conversation meanwhile", async () => {
    const { asked, answer, begins, moves } = talk(new Set(["/w"]));
    await begins("a", "/w");
    await moves("a");
    await moves("a");
    expect(asked("thread/resume")).toHaveLength(1);
    await answer("thread/resume", refused);
    expect(asked("thread/resume")).toHaveLength(1);
    // Its next word will come.
    await answer("thread/resume", refused);
    expect(asked("thread/resume")).toEqual([]);
    await moves("a");
    expect(asked("thread/resume")).toHaveLength(1);
  });

  it("joins a conversation of a folder that is opened later", async () => {
    const open = new Set<string>();
    const { asked, answer, begins, moves } = talk(open);
    await begins("a", "/w");
    await moves("a");
    expect(asked("thread/read")).toEqual([]);
    open.add("/w");
    await Promise.all([moves("a", idle), moves("a")]);
    const thread = { id: "a", cwd: "/w", ephemeral: false, status: active };
    await answer("thread/read", { result: { thread } });
    expect(asked("thread/resume")).toHaveLength(1);
  });

  it("hears of new ones after any number of others", async () => {
    const { asked, answer, begins, moves } = talk(new Set(["/w"]));
    for (let count = 0; count < 300; count += 1) await begins(`other ${count}`, "/elsewhere");
    await moves("a");
    await answer("thread/read", { result: { thread: { id: "a", cwd: "/w", ephemeral: false, status: active } } });
    expect(asked("thread/resume")).toHaveLength(1);
  });
});
