// @vitest-environment jsdom
import type { PromptBlock } from "@patchbay/conversations/model";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PageHost } from "../../bench/page-host.ts";
import { sampleConversation } from "../../bench/sample.ts";
import { TestPanel } from "../support/panel.tsx";

let panel: TestPanel | undefined;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  panel?.close();
  vi.useRealTimers();
});

async function show(...[entries = [], change]: Partial<Parameters<typeof TestPanel.show>>): Promise<TestPanel> {
  panel = await (change === undefined ? TestPanel.show(entries) : TestPanel.show(entries, change));
  return panel;
}

const sent = (shown: TestPanel): readonly (readonly PromptBlock[])[] => shown.heard("send").map(({ blocks }) => blocks);

/** Whatever becomes of the clock. */
const inRealTime = setImmediate;

/** What is read of a file is there. */
async function readSoon(shown: TestPanel): Promise<void> {
  await import("../../src/views/composer/attachments.ts");
  await shown.do(async () => {
    for (let count = 0; count < 10; count += 1) await new Promise((resolve) => inRealTime(resolve));
  });
}

describe("the composer", () => {
  it("sends with Enter, and is empty then", async () => {
    const shown = await show();
    await shown.write("  Hello  ");
    await shown.key("Enter");
    expect(sent(shown)).toEqual([[{ type: "text", text: "Hello" }]]);
    expect(shown.area.value).toBe("");
  });

  it.each([
    ["Shift", { shiftKey: true }],
    ["Ctrl", { ctrlKey: true }],
    ["a held key", { repeat: true }],
  ])("does not send Enter with %s", async (_name, more) => {
    const shown = await show();
    await shown.write("Hello");
    await shown.key("Enter", more);
    expect(sent(shown)).toEqual([]);
  });

  it("sends with Ctrl+Enter where that is the setting", async () => {
    const shown = await show();
    await shown.do(() =>
      shown.host.say({ type: "settings", settings: { ...shown.host.settings, sendWith: "ctrl-enter" } }),
    );
    await shown.write("Hello");
    await shown.key("Enter");
    expect(sent(shown)).toEqual([]);
    await shown.key("Enter", { metaKey: true });
    expect(sent(shown)).toHaveLength(1);
  });

  it.each([
    ["isComposing", { isComposing: true }],
    ["keyCode 229", { keyCode: 229 }],
  ])("leaves Enter to an input method: %s", async (_name, more) => {
    const shown = await show();
    await shown.write("にほん");
    const event = await shown.key("Enter", more);
    expect(sent(shown)).toEqual([]);
    expect(event.defaultPrevented).toBe(false);
  });

  it("sends nothing where there is nothing", async () => {
    const shown = await show();
    await shown.write("  \n ");
    await shown.key("Enter");
    expect(sent(shown)).toEqual([]);
    expect(shown.button("Send").disabled).toBe(true);
  });

  it("keeps a draft with the page at once and with the host within half a second", async () => {
    const shown = await show();
    await shown.write("Half a thou");
    expect(shown.host.viewApi.getState()).toMatchObject({
      conversation: "c1",
      draft: { blocks: [{ type: "text", text: "Half a thou" }] },
    });
    vi.advanceTimersByTime(500);
    expect(shown.heard("draft").at(-1)?.draft).toEqual({
      blocks: [{ type: "text", text: "Half a thou" }],
      caret: 11,
      at: expect.any(Number),
    });
  });

  it("shows what was written in another page since, unless something is being written here", async () => {
    const shown = await show();
    await shown.write("Here");
    vi.advanceTimersByTime(500);
    const draft = (text: string, at: number) => ({ blocks: [{ type: "text", text }], caret: 0, at }) as const;
    const say = async (text: string, later: number): Promise<void> => {
      const there = draft(text, Date.now() + later);
      await shown.do(() => shown.host.say({ type: "draft", conversation: "c1", draft: there }));
    };
    await say("There, earlier", -10_000);
    expect(shown.area.value).toBe("Here");
    await say("Here and there", 1);
    expect(shown.area.value).toBe("Here and there");
    await shown.write("Here and there and now");
    await say("There", 2);
    expect(shown.area.value).toBe("Here and there and now");
  });

  it("begins with what another page has written since this one was there", async () => {
    const host = new PageHost();
    host.open(sampleConversation([], 0));
    panel = await TestPanel.start(host);
    await panel.write("Old");
    panel.end();
    const draft = { blocks: [{ type: "text", text: "New" }], caret: 3, at: Date.now() + 1_000 } as const;
    host.open({ ...sampleConversation([], 0), draft });
    panel = await TestPanel.start(host);
    expect(panel.area.value).toBe("New");
  });

  it("tells the host at once that what was sent is no draft any more", async () => {
    const shown = await show();
    await shown.write("Hello");
    await shown.key("Enter");
    expect(shown.host.heard.slice(-2).map(({ type }) => type)).toEqual(["send", "draft"]);
    expect(shown.heard("draft").at(-1)?.draft.blocks).toEqual([]);
  });

  it("has the draft again after the page was gone", async () => {
    const host = new PageHost();
    host.open(sampleConversation([], 0));
    panel = await TestPanel.start(host);
    await panel.write("Half a thou");
    panel.end();
    panel = await TestPanel.start(host);
    expect(panel.area.value).toBe("Half a thou");
  });

  it("has what was typed last though the editor kept an older state, or none, and the host has heard nothing yet", async () => {
    const host = new PageHost();
    host.open(sampleConversation([], 0));
    panel = await TestPanel.start(host);
    await panel.write("Half a th");
    const before = host.viewApi.getState();
    await panel.write("Half a thou");
    panel.end();
    for (const state of [before, undefined]) {
      host.viewApi.setState(state);
      // oxlint-disable-next-line no-await-in-loop -- one page after the other
      panel = await TestPanel.start(host);
      expect(panel.area.value).toBe("Half a thou");
      panel.end();
    }
    panel = await TestPanel.start(host);
    await panel.key("Enter");
    panel.end();
    host.viewApi.setState(before);
    panel = await TestPanel.start(host);
    expect(panel.area.value).toBe("");
  });

  it("gives the host what was typed last once there is a page again, and nothing that it has already", async () => {
    const host = new PageHost();
    host.open(sampleConversation([], 0));
    panel = await TestPanel.start(host);
    await panel.write("Half a thou");
    dispatchEvent(new Event("beforeunload"));
    expect(panel.heard("draft")).toMatchObject([{ draft: { blocks: [{ text: "Half a thou" }] } }]);
    const draft = panel.heard("draft")[0]?.draft;
    await panel.write("Half a thought");
    panel.end();
    host.heard.length = 0;
    panel = await TestPanel.start(host);
    expect(panel.heard("draft")).toMatchObject([
      { conversation: "c1", draft: { blocks: [{ text: "Half a thought" }] } },
    ]);
    const last = panel.heard("draft")[0]?.draft;
    panel.end();
    expect(last).not.toEqual(draft);
    host.heard.length = 0;
    host.open({ ...sampleConversation([], 0), ...(last === undefined ? {} : { draft: last }) });
    panel = await TestPanel.start(host);
    expect(panel.area.value).toBe("Half a thought");
    expect(panel.heard("draft")).toEqual([]);
  });

  it("leaves no draft in the browser once the host has it, and none of a conversation that is long gone", async () => {
    const stored = (): readonly string[] =>
      Object.keys(localStorage).filter((key) => key.startsWith("patchbay.draft."));
    const old = { blocks: [{ type: "text", text: "Old" }], caret: 0, at: Date.now() - 8 * 24 * 3_600_000 };
    localStorage.setItem("patchbay.draft.gone", JSON.stringify(old));
    localStorage.setItem("patchbay.draft.odd", "{");
    const shown = await show();
    expect(stored()).toEqual([]);
    await shown.write("Half a thou");
    expect(stored()).toEqual(["patchbay.draft.c1"]);
    dispatchEvent(new Event("blur"));
    expect(shown.heard("draft")).toHaveLength(1);
    vi.advanceTimersByTime(1_900);
    expect(stored()).toHaveLength(1);
    vi.advanceTimersByTime(200);
    expect(stored()).toEqual([]);
  });

  it("shows the host's draft of another conversation, and gives the own one back", async () => {
    const shown = await show();
    await shown.write("For the first");
    const other = {
      ...sampleConversation([], 0),
      id: "c2",
      draft: { blocks: [{ type: "text", text: "For the second" }], caret: 3 } as const,
    };
    await shown.do(() => shown.host.say({ type: "conversation", open: other }));
    expect(shown.area.value).toBe("For the second");
    expect(shown.area.selectionStart).toBe(3);
    expect(shown.heard("draft").at(-1)).toMatchObject({
      conversation: "c1",
      draft: { blocks: [{ text: "For the first" }] },
    });
  });

  it("keeps what is being written when the host sends the conversation anew", async () => {
    const shown = await show();
    await shown.write("Half a thou");
    await shown.do(() => shown.host.hello());
    expect(shown.area.value).toBe("Half a thou");
  });

  it("leafs through earlier prompts, and back to what was there", async () => {
    const prompt = (text: string) => ({ kind: "prompt", id: text, at: 0, blocks: [{ type: "text", text }] }) as const;
    const shown = await show([prompt("First"), prompt("Second")]);
    await shown.key("ArrowUp");
    expect(shown.area.value).toBe("Second");
    await shown.key("ArrowUp");
    expect(shown.area.value).toBe("First");
    await shown.key("ArrowDown");
    expect(shown.area.value).toBe("Second");
    await shown.key("ArrowDown");
    expect(shown.area.value).toBe("");
  });

  it("offers files for @, and attaches the one that is chosen", async () => {
    const shown = await show();
    await shown.write("Look at @disc");
    await vi.advanceTimersByTimeAsync(0);
    await shown.do(() => undefined);
    const options = Array.from(shown.root.querySelectorAll("[role=option]"), ({ textContent }) => textContent);
    expect(options).toEqual(["discounts.tssrc/cart", "discounts.test.tstest/cart"]);
    await shown.key("ArrowDown");
    await shown.key("Enter");
    expect(shown.area.value).toBe("Look at discounts.test.ts ");
    await shown.key("Enter");
    expect(sent(shown)).toEqual([
      [
        { type: "mention", path: "/home/me/shop/test/cart/discounts.test.ts" },
        { type: "text", text: "Look at discounts.test.ts" },
      ],
    ]);
  });

  it("offers the agent's commands for / at the beginning only", async () => {
    const shown = await show();
    await shown.write("and /co");
    expect(shown.root.querySelector("[role=option]")).toBeNull();
    await shown.write("/co");
    expect(shown.root.querySelectorAll("[role=option]")).toHaveLength(2);
    await shown.key("Tab");
    expect(shown.area.value).toBe("/compact ");
    await shown.write("/cost");
    await shown.key("Enter");
    expect(sent(shown)).toEqual([[{ type: "text", text: "/cost" }]]);
  });

  it("goes on leaving out the selection after the page was gone", async () => {
    const block = { type: "mention", path: "/home/me/shop/a.ts", lines: { start: 1, end: 2 } } as const;
    const shown = await show();
    await shown.do(() => shown.host.say({ type: "selection", block }));
    await shown.do(() => shown.one(".selection", HTMLButtonElement).click());
    await shown.write("Hello");
    shown.close();
    panel = await TestPanel.start(shown.host);
    await panel.do(() => panel?.host.say({ type: "selection", block }));
    expect(panel.one(".selection", HTMLButtonElement).ariaPressed).toBe("false");
    await panel.key("Enter");
    expect(panel.heard("send")[0]?.blocks).toEqual([{ type: "text", text: "Hello" }]);
  });

  it("sends the selection visibly, or not at all", async () => {
    const shown = await show();
    const block = { type: "mention", path: "/home/me/shop/a.ts", lines: { start: 3, end: 9 } } as const;
    await shown.do(() => shown.host.say({ type: "selection", block }));
    const chip = shown.one(".selection", HTMLButtonElement);
    expect([chip.textContent, chip.ariaPressed]).toEqual(["a.ts 3–9", "true"]);
    await shown.write("Explain");
    await shown.key("Enter");
    await shown.do(() => chip.click());
    await shown.write("Explain");
    await shown.key("Enter");
    const text = { type: "text", text: "Explain" };
    expect(sent(shown)).toEqual([[block, text], [text]]);
  });

  it("takes a queued prompt back while nothing else is being written", async () => {
    const shown = await show([], { queue: [{ id: "w", blocks: [{ type: "text", text: "Later" }] }] });
    await shown.write("Now");
    expect(shown.button("Edit (send or clear what you are writing first)").disabled).toBe(true);
    await shown.write("");
    await shown.press("Edit");
    expect(shown.heard("queue")).toEqual([{ type: "queue", conversation: "c1", id: "w", action: "edit" }]);
    expect(shown.area.value).toBe("Later");
  });

  it("sends a prompt that was taken back to its place in the queue, also after the page was gone", async () => {
    const queued = (id: string) => ({ id, blocks: [{ type: "text", text: id }] }) as const;
    const shown = await show([], { queue: [queued("a"), queued("b"), queued("c"), queued("d")] });
    await shown.do(() => shown.root.querySelectorAll<HTMLElement>("[aria-label='Edit']")[1]?.click());
    await shown.write("b, changed");
    await vi.advanceTimersByTimeAsync(300);
    expect(shown.heard("draft").at(-1)?.draft).toMatchObject({ before: ["c", "d"] });
    shown.close();
    const again = (panel = await TestPanel.start(shown.host));
    expect(again.area.value).toBe("b, changed");
    await again.key("Enter");
    expect(again.heard("send").at(-1)).toEqual({
      type: "send",
      conversation: "c1",
      blocks: [{ type: "text", text: "b, changed" }],
      before: ["c", "d"],
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/u),
    });
    await again.write("e");
    await again.key("Enter");
    expect(again.heard("send").at(-1)).not.toHaveProperty("before");
  });

  it("has no place in the queue for what is written after a prompt was taken back and cleared", async () => {
    const queued = (id: string) => ({ id, blocks: [{ type: "text", text: id }] }) as const;
    const shown = await show([], { queue: [queued("a"), queued("b")] });
    await shown.press("Edit");
    await shown.write("");
    await shown.write("Another");
    await shown.key("Enter");
    expect(shown.heard("send").at(-1)).not.toHaveProperty("before");
  });

  it("takes files of the editor by their URIs, and says of other files what it cannot take", async () => {
    const shown = await show();
    const drop = async (uris: string, files: readonly File[] = []): Promise<void> => {
      const types = uris === "" ? ["Files"] : ["text/uri-list"];
      const event = new Event("drop", { bubbles: true, cancelable: true });
      const data = { types, files, getData: (type: string) => (type === "text/uri-list" ? uris : "") };
      Object.assign(event, { dataTransfer: data });
      await shown.do(() => void shown.area.dispatchEvent(event));
      expect(event.defaultPrevented).toBe(true);
    };
    await drop("file:///a.ts\r\nfile:///b.ts");
    expect(shown.heard("drop")).toEqual([{ type: "drop", conversation: "c1", uris: ["file:///a.ts", "file:///b.ts"] }]);
    await drop("", [new File(["%PDF\0"], "a.pdf", { type: "application/pdf" })]);
    await readSoon(shown);
    expect(shown.text).toContain("Only images, and texts of up to 256 kB, can be added from outside the editor.");
    expect(shown.heard("drop")).toHaveLength(1);
    // A text has no path that a page may know: it goes along as it is.
    await drop("", [new File(["one\n"], "notes.txt", { type: "text/plain" })]);
    await readSoon(shown);
    expect(shown.text).not.toContain("Only images");
    await shown.key("Enter");
    expect(sent(shown)).toEqual([[{ type: "excerpt", title: "notes.txt", text: "one\n" }]]);
  });

  it("has a long text that is pasted as a chip, and a short one in the message", async () => {
    const shown = await show();
    const paste = async (text: string): Promise<boolean> => {
      const event = new Event("paste", { bubbles: true, cancelable: true });
      Object.assign(event, { clipboardData: { files: [], getData: () => text } });
      await shown.do(() => void shown.area.dispatchEvent(event));
      await readSoon(shown);
      return event.defaultPrevented;
    };
    const long = "a line\n".repeat(1_000);
    expect(await paste(long.slice(0, 5_000))).toBe(false);
    expect(await paste(long)).toBe(true);
    expect(shown.area.value).toBe("");
    await shown.write("What is wrong?");
    await shown.key("Enter");
    const chip = { type: "excerpt", title: "Pasted lines: 1001", text: long };
    expect(sent(shown)).toEqual([[chip, { type: "text", text: "What is wrong?" }]]);
  });

  it("moves a queued prompt up, and keeps the focus with it", async () => {
    const queued = (id: string) => ({ id, blocks: [{ type: "text", text: id }] }) as const;
    const shown = await show([], { queue: [queued("a"), queued("b"), queued("c")] });
    const up = shown.root.querySelectorAll<HTMLElement>(".queue-earlier");
    expect(up).toHaveLength(2);
    await shown.do(() => up[1]?.click());
    expect(shown.heard("queue")).toEqual([{ type: "queue", conversation: "c1", id: "c", action: "earlier" }]);
    up[1]?.focus();
    await shown.do(() => shown.host.status({ queue: [queued("a"), queued("c"), queued("b")] }));
    expect(document.activeElement?.closest("li")?.textContent).toContain("c");
    expect(document.activeElement?.ariaLabel).toBe("Move up");
  });

  it("stops a turn that is running, and a prompt joins the queue", async () => {
    const shown = await show([], { state: { kind: "running", since: 0 } });
    await shown.press("Stop");
    expect(shown.heard("stop")).toHaveLength(1);
    await shown.write("Then this");
    await shown.press("Add to queue");
    expect(sent(shown)).toHaveLength(1);
  });

  it("stops an agent that is being started, where something waits for it", async () => {
    const shown = await show([], { state: { kind: "starting" } });
    expect(() => shown.button("Stop")).toThrow();
    await shown.do(() => shown.host.status({ queue: [{ id: "a", blocks: [{ type: "text", text: "a" }] }] }));
    await shown.press("Stop");
    expect(shown.heard("stop")).toHaveLength(1);
  });

  it("explains in one line the mode that never asks", async () => {
    const shown = await show();
    await shown.press("Mode: Ask first");
    expect(shown.text).toContain("Never asks before it changes files or runs commands.");
    await shown.do(() => shown.root.querySelectorAll<HTMLButtonElement>("[role=menuitemradio]")[1]?.click());
    expect(shown.heard("option")).toEqual([{ type: "option", conversation: "c1", id: "mode", value: "acceptEdits" }]);
  });

  it("is not there where another window has the conversation, which can be asked for once", async () => {
    const shown = await show([], { access: { kind: "read-only" } });
    expect(shown.root.querySelector("textarea")).toBeNull();
    expect(shown.text).toContain("This conversation is open in another window.");
    await shown.do(() => shown.host.add({ kind: "turn-end", id: "e", at: 0, reason: "done" }));
    await shown.do(() => shown.host.status({ state: { kind: "ended" } }));
    expect(shown.text).not.toContain("is not running");
    await shown.press("Continue Here");
    expect(shown.heard("act")).toEqual([{ type: "act", conversation: "c1", action: "take-over" }]);
    expect(shown.button("Continue Here").disabled).toBe(true);
    await shown.do(() => vi.advanceTimersByTime(12_000));
    expect(shown.button("Continue Here").disabled).toBe(false);
    await shown.do(() => shown.host.status({ access: { kind: "own" } }));
    expect(shown.area.value).toBe("");
  });
});
