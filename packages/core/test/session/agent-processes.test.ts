import { createMemoryPlatform, type MemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import type { ProposalOwner } from "../../src/diff/proposal.ts";
import { AgentProcesses } from "../../src/session/session.ts";
import { ownerOf } from "../diff/registry-under-test.ts";

interface Setup extends MemoryPlatform {
  readonly processes: never;
  readonly agents: AgentProcesses;
  readonly owner: ProposalOwner;
  readonly exited: readonly string[];
  readonly identified: readonly string[];
  /** Sessions that something waits for. */
  readonly concerned: Set<string>;
}

const ports = { localPort: 1, remotePort: 5_000 };

/** An agent with process 900, whose connection comes from port 5000. */
function setUp(): Omit<Setup, "processes"> {
  const platform = createMemoryPlatform();
  platform.process.run(900, 1);
  platform.process.connect(900, ports.remotePort);
  const exited: string[] = [];
  const identified: string[] = [];
  const concerned = new Set(["one"]);
  const agents = new AgentProcesses({
    process: platform.process,
    clock: platform.clock,
    concerns: (sessionId) => concerned.has(sessionId),
    onDidIdentify: (sessionId) => void identified.push(sessionId),
    onDidExit: ({ sessionId }) => void exited.push(sessionId),
  });
  return { ...platform, agents, owner: ownerOf("one"), exited, identified, concerned };
}

describe("the processes of agents", () => {
  it("one that is killed is known to have exited within two seconds, and told once", async () => {
    const { agents, clock, exited, owner, process } = setUp();
    await agents.identify(owner, ports, undefined);
    agents.watch(owner);
    await clock.advanceAsync(3_000);
    expect(exited).toEqual([]);
    process.end(900);
    await clock.advanceAsync(2_000);
    expect(exited).toEqual(["one"]);
    await clock.advanceAsync(60_000);
    expect(exited).toEqual(["one"]);
    expect(clock.pending).toBe(0);
  });

  it("one that is killed with its connection is known at once", async () => {
    const { agents, clock, exited, owner, process } = setUp();
    await agents.identify(owner, ports, undefined);
    process.end(900);
    agents.watch(owner);
    await clock.advanceAsync(0);
    expect(exited).toEqual(["one"]);
  });

  it("an id that another process has by now does not count as the agent", async () => {
    const { agents, clock, exited, owner, process } = setUp();
    await agents.identify(owner, ports, undefined);
    process.run(900, 1, "started later");
    agents.watch(owner);
    await clock.advanceAsync(0);
    expect(exited).toEqual(["one"]);
  });

  it("one that comes back is not looked for any more", async () => {
    const { agents, clock, exited, owner, process } = setUp();
    await agents.identify(owner, ports, undefined);
    agents.watch(owner);
    agents.unwatch("one");
    process.end(900);
    await clock.advanceAsync(60_000);
    expect(exited).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it("is not looked for when nothing waits for it", async () => {
    const { agents, clock, concerned, exited, owner, process } = setUp();
    await agents.identify(owner, ports, undefined);
    agents.watch(owner);
    concerned.clear();
    await clock.advanceAsync(2_000);
    process.end(900);
    await clock.advanceAsync(60_000);
    expect(exited).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it("where the system does not tell whose the connection is, nothing is concluded", async () => {
    const { agents, clock, exited, owner } = setUp();
    await agents.identify(owner, { localPort: 1, remotePort: 6_000 }, undefined);
    agents.watch(owner);
    await clock.advanceAsync(60_000);
    expect(owner.process).toBeUndefined();
    expect(exited).toEqual([]);
  });

  it("what the agent says of itself stands where the system does not tell, unless there is no such process", async () => {
    const { agents, identified, owner, process } = setUp();
    process.run(901, 1);
    await agents.identify(owner, undefined, 901);
    expect(owner.process).toEqual({ pid: 901, mark: "start-901" });
    const elsewhere = ownerOf("two");
    await agents.identify(elsewhere, undefined, 77);
    expect(elsewhere.process).toBeUndefined();
    const both = ownerOf("three");
    await agents.identify(both, ports, 901);
    expect(both.process?.pid).toBe(900);
    expect(identified).toEqual(["one", "three"]);
  });

  it("is asked of the system once for a session, and only while there is a connection", async () => {
    const { agents, owner, process } = setUp();
    let asked = 0;
    const { peerOf } = process;
    process.peerOf = async (one) => {
      asked += 1;
      return one.remotePort === 6_000 ? undefined : peerOf.call(process, one);
    };
    await agents.identify(owner, undefined, undefined);
    await agents.identify(owner, { ...ports, remotePort: 6_000 }, undefined);
    await agents.identify(owner, ports, undefined);
    expect(asked).toBe(1);
  });
});
