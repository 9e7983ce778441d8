import { describe, expect, it } from "vitest";
import { claude } from "../../src/agents/claude/agent.ts";
import { gemini } from "../../src/agents/gemini/agent.ts";
import { isAttached } from "../../src/hooks/agent-processes.ts";
import type { ProcessFacts } from "../../src/platform/platform.ts";

/** The hook 30 was started by the shell 20 of the agent 10. */
const parents = new Map([
  [30, 20],
  [20, 10],
  [10, 1],
]);
const process: Pick<ProcessFacts, "parentOf" | "peerOf"> = {
  parentOf: async (pid) => parents.get(pid),
  peerOf: async ({ remotePort }) => (remotePort === 0 ? undefined : remotePort),
};
const call = { tokenName: "claude", pid: 30, ports: undefined };
const session = { dialect: claude, pid: 10, ports: undefined, state: "connected" } as const;
const at = (remotePort: number) => ({ localPort: 1, remotePort });

describe("the agent of a hook is connected", () => {
  it.each([
    ["there is no session", [], false],
    ["its own session is", [session], true],
    ["only another one of the same agent is", [{ ...session, pid: 11 }], false],
    ["another agent in the same terminal is", [{ ...session, dialect: gemini }], false],
    ["it is away", [{ ...session, state: "away" }], false],
    ["the system tells whose connection it is", [{ ...session, pid: undefined, ports: at(10) }], true],
    ["the system tells that it is another one's", [{ ...session, pid: undefined, ports: at(11) }], false],
    ["nobody can tell", [{ ...session, pid: undefined, ports: at(0) }], true],
  ] as const)("%s: %j is %s", async (_when, sessions, expected) => {
    expect(await isAttached(call, sessions, process)).toBe(expected);
  });

  it("where the hook does not say who it is, and some session of its agent is there", async () => {
    expect(await isAttached({ ...call, pid: undefined }, [{ ...session, pid: 11 }], process)).toBe(true);
  });
});
