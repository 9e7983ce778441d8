import { describe, expect, it } from "vitest";
import type { AgentWish } from "../../src/messages/index.ts";
import { createPanelLab, until } from "./panel-lab.ts";

/** What the user was asked, and what was saved. */
async function added(...wishes: readonly AgentWish[]): Promise<readonly string[]> {
  const lab = createPanelLab();
  const page = lab.page();
  page.say({ type: "ready" });
  await until(() => page.last("hello"));
  lab.place.wishes = [...wishes];
  page.say({ type: "add-agent" });
  await expect.poll(() => lab.place.wishes?.length).toBe(0);
  const before = lab.done.length;
  await expect.poll(() => lab.done.length).toBeGreaterThanOrEqual(before);
  await new Promise((resolve) => setTimeout(resolve, 20));
  return lab.done;
}

const first = 'ask {"command":""}';
const good = 'ask {"command":"good --acp","trial":{"kind":"answered","name":"Good 1.0","signIn":["Key"]}}';
const bad = 'ask {"command":"bad","trial":{"kind":"failed","reason":"No.","words":"usage: bad"}}';

describe("an agent that is added", () => {
  it("is tried first, and kept under the name that the user gives it", async () => {
    expect(await added({ kind: "try", command: " good --acp " }, { kind: "save", name: " Mine " })).toEqual([
      first,
      good,
      'save new {"name":"Mine","program":"good --acp","args":[]}',
    ]);
  });

  it("is not kept where the user goes away, whether it has answered or not", async () => {
    expect(await added({ kind: "try", command: "good --acp" })).toEqual([first, good]);
    expect(await added({ kind: "try", command: "bad" })).toEqual([first, bad]);
  });

  it("may be another command, and is kept without an answer only if the user says so, who has seen why", async () => {
    const wishes = [
      { kind: "try", command: "bad" },
      { kind: "try", command: "good --acp" },
      { kind: "try", command: "bad" },
      { kind: "save", name: "Bad" },
    ] as const;
    const save = 'save new {"name":"Bad","program":"bad","args":[]}';
    expect(await added(...wishes)).toEqual([first, bad, good, bad, save]);
    // There is nothing yet that could be kept: it is tried.
    const [asked, ...others] = await added({ kind: "save", name: "Nothing" });
    expect([asked, others.some((one) => one.startsWith("save"))]).toEqual([first, false]);
  });
});
