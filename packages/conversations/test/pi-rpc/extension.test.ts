import { runInThisContext } from "node:vm";
import { afterEach, describe, expect, it } from "vitest";
import { extension } from "../../src/pi-rpc/extension.ts";

type Handler = (event: Message, context: Message) => Promise<unknown>;
type Message = Readonly<Record<string, unknown>>;

const mark = Symbol.for("patchbay.panel");

/** The extension as Pi loads it, and what it was answered to each question. */
function load(answers: readonly unknown[]) {
  const handlers = new Map<string, Handler>();
  const asked: unknown[] = [];
  const left = [...answers];
  const source = extension.replace("export default function patchbay", "(function patchbay").trimEnd();
  const attach: unknown = runInThisContext(`${source})`);
  if (typeof attach !== "function") throw new Error("It is no function.");
  Reflect.apply(attach, undefined, [{ on: (name: string, handler: Handler) => handlers.set(name, handler) }]);
  const statuses: unknown[] = [];
  const ui = {
    setStatus: (...given: readonly unknown[]) => statuses.push(given),
    input: async (title: string, text: string) => {
      asked.push([title, JSON.parse(text)]);
      const answer = left.shift();
      if (answer instanceof Error) throw answer;
      return await Promise.resolve(answer === undefined ? undefined : JSON.stringify(answer));
    },
  };
  const emit = async (name: string, event: Message): Promise<unknown> => await handlers.get(name)?.(event, { ui });
  return { emit, asked, statuses };
}

afterEach(() => void Reflect.deleteProperty(globalThis, mark));

describe("the extension that Pi loads in the panel", () => {
  it("says that it is there, to us and to our other one", async () => {
    const { emit, statuses } = load([]);
    await emit("session_start", {});
    expect(statuses).toEqual([["patchbay", "asks"]]);
    expect(Reflect.get(globalThis, mark)).toBe(true);
  });

  it("lets a tool run as it was answered, with other arguments too", async () => {
    const { emit, asked } = load([
      { kind: "allow" },
      { kind: "allow-changed", arguments: { path: "a", content: "mine" } },
    ]);
    const event = { toolCallId: "1", toolName: "write", input: { path: "a", content: "its", more: 1 } };
    expect(await emit("tool_call", event)).toBeUndefined();
    expect(event.input).toEqual({ path: "a", content: "its", more: 1 });
    expect(await emit("tool_call", event)).toBeUndefined();
    expect(event.input).toEqual({ path: "a", content: "mine" });
    expect(asked[0]).toEqual([
      "patchbay",
      { moment: "before", id: "1", tool: "write", input: { path: "a", content: "its", more: 1 } },
    ]);
  });

  it.each([
    [{ kind: "deny", reason: "leave it" }, "leave it"],
    [undefined, "The user was not asked, so nothing was done."],
    [{ kind: "a later version's" }, "The user was not asked, so nothing was done."],
    [new Error("The stream has ended."), "The user was not asked, so nothing was done."],
  ])("lets nothing run without a yes: %j", async (answer, reason) => {
    const { emit } = load([answer]);
    const event = { toolCallId: "1", toolName: "bash", input: { command: "ls" } };
    expect(await emit("tool_call", event)).toEqual({ block: true, reason });
  });

  it("tells the model what is said of a tool that has ended, where there may be something", async () => {
    const content = [{ type: "text", text: "Written." }];
    const event = { toolCallId: "1", toolName: "write", input: {}, content };
    const { emit, asked } = load([{ kind: "allow", isFollowed: true }, { note: "It reads otherwise." }]);
    expect(await emit("tool_result", event)).toBeUndefined();
    expect(asked).toEqual([]);
    await emit("tool_call", event);
    expect(await emit("tool_result", event)).toEqual({
      content: [...content, { type: "text", text: "It reads otherwise." }],
    });
    expect(await emit("tool_result", event)).toBeUndefined();
    expect(asked).toHaveLength(2);
  });
});
