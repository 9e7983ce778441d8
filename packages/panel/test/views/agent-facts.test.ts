// @vitest-environment jsdom
import { afterEach, describe, expect, it } from "vitest";
import { sampleFacts } from "../../bench/sample.ts";
import { TestPanel } from "../support/panel.tsx";

describe("what the agent tells of itself", () => {
  let panel: TestPanel;
  afterEach(() => panel.close());

  const asked = (): number => panel.host.heard.filter(({ type }) => type === "facts").length;
  const open = async (): Promise<void> => {
    panel = await TestPanel.show([]);
    await panel.press("More actions");
    await panel.press("About Claude Code");
  };
  const server = (name: string): Element => {
    const found = Array.from(panel.root.querySelectorAll(".facts-server")).find((one) =>
      one.textContent.includes(name),
    );
    if (found === undefined) throw new Error(`No server ${name}`);
    return found;
  };
  const buttons = (name: string): readonly string[] =>
    Array.from(server(name).querySelectorAll("button"), (button) => button.textContent);

  it("is asked for when it is looked at, and covers the conversation until it is closed", async () => {
    panel = await TestPanel.show([]);
    expect(asked()).toBe(0);
    await panel.press("More actions");
    await panel.press("About Claude Code");
    expect(asked()).toBe(1);
    expect(panel.text).toContain("you@example.com · Example Ltd");
    expect(panel.text).toContain("42% used, resets");
    expect(panel.text).toContain("61.4K of 200K tokens");
    expect(panel.text).toContain("Messages48.8K");
    expect(panel.one(".conversation", HTMLElement).hidden).toBe(true);
    await panel.press("Back to the conversation");
    expect(panel.text).not.toContain("Example Ltd");
    expect(panel.one(".conversation", HTMLElement).hidden).toBe(false);
    await expect.poll(() => document.activeElement === panel.area).toBe(true);
  });

  it("has for each server what can be done with it, once until the answer", async () => {
    await open();
    expect(server("tracker").textContent).toContain("Connected · tools: 12");
    expect(buttons("tracker")).toEqual(["Reconnect", "Turn Off"]);
    expect(buttons("browser")).toEqual(["Turn On"]);
    expect(buttons("companion")).toEqual([]);
    expect(server("calendar").textContent).toContain("type /mcp to sign in");
    expect(server("database").textContent).toContain("ECONNREFUSED");
    const [reconnect] = server("database").querySelectorAll("button");
    await panel.do(() => reconnect?.click());
    expect(panel.host.heard.at(-1)).toEqual({
      type: "mcp-server",
      conversation: "c1",
      name: "database",
      change: "reconnect",
    });
    expect(reconnect?.disabled).toBe(true);
    await panel.do(() => panel.host.say({ type: "facts", conversation: "c1", facts: sampleFacts }));
    expect(reconnect?.disabled).toBe(false);
  });

  it("says that the agent is not running, or that it has not answered", async () => {
    await open();
    await panel.do(() => panel.host.say({ type: "facts", conversation: "c1", facts: null }));
    expect(panel.text).toContain("Claude Code is not running. Your next message starts it again.");
    await panel.do(() => panel.host.say({ type: "facts", conversation: "c1", facts: {} }));
    expect(panel.text).toContain("Claude Code did not answer.");
    await panel.do(() => panel.host.say({ type: "facts", conversation: "c1", facts: { servers: "many" } }));
    expect(panel.text).toContain("Claude Code did not answer.");
  });

  it("is asked for again when the agent is in another state, and never shown of another conversation", async () => {
    await open();
    await panel.do(() => panel.host.status({ state: { kind: "running", since: 0 } }));
    expect(asked()).toBe(2);
    await panel.do(() => panel.host.say({ type: "facts", conversation: "c2", facts: { account: "eve" } }));
    expect(panel.text).not.toContain("eve");
    const { conversation } = panel.host;
    await panel.do(() =>
      panel.host.say({
        type: "conversation",
        ...(conversation === undefined ? {} : { open: { ...conversation, id: "c2" } }),
      }),
    );
    expect(panel.root.querySelector(".facts")).toBeNull();
  });

  it("is offered only where the agent tells something", async () => {
    panel = await TestPanel.show([]);
    const { capabilities } = panel.host.conversation ?? {};
    if (capabilities === undefined) throw new Error("no capabilities");
    await panel.do(() => panel.host.status({ capabilities: { ...capabilities, facts: false } }));
    await panel.press("More actions");
    expect(panel.text).not.toContain("About Claude Code");
  });
});
