// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ConversationSummary, panelStrings } from "../../src/messages/index.ts";
import { BrowserTab } from "../../src/browser-tab.ts";
import { TestPanel } from "../support/panel.tsx";

const conversation = (change: Partial<ConversationSummary>): ConversationSummary => ({
  id: "c1",
  agent: "claude",
  folder: "/home/me/shop",
  title: "Stack discount codes",
  changedAt: 0,
  state: "idle",
  ...change,
});

class TestNotification extends EventTarget {
  static permission: NotificationPermission = "granted";
  static readonly titles: string[] = [];
  constructor(title: string) {
    super();
    TestNotification.titles.push(title);
  }
  static async requestPermission(): Promise<NotificationPermission> {
    TestNotification.permission = "denied";
    return await Promise.resolve(TestNotification.permission);
  }
}

let tab: BrowserTab;
let isHidden = false;

const list = (...conversations: readonly ConversationSummary[]): void =>
  tab.hear({ type: "conversations", conversations }, "c1");

const hide = (isNow: boolean): void => {
  isHidden = isNow;
  document.dispatchEvent(new Event("visibilitychange"));
};

const icon = (): string => document.querySelector("link[rel=icon]")?.getAttribute("href") ?? "";

beforeEach(() => {
  isHidden = false;
  TestNotification.titles.length = 0;
  TestNotification.permission = "granted";
  vi.stubGlobal("Notification", TestNotification);
  vi.spyOn(document, "hidden", "get").mockImplementation(() => isHidden);
  document.head.innerHTML = '<link rel="icon" href="data:,">';
  tab = new BrowserTab();
  const settings = { locale: "en", sendWith: "enter", isMac: false, folders: ["/home/me/shop"] } as const;
  tab.hear({ type: "hello", settings, strings: panelStrings, agents: [], conversations: [] }, undefined);
});

afterEach(() => {
  document.head.innerHTML = "";
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("a browser's tab", () => {
  it("names the folder before there is a conversation", () => {
    expect(document.title).toBe("shop – Patchbay");
  });

  it("names the conversation, its folder, and what is going on", () => {
    const icons = new Set<string>();
    const titles = (["idle", "running", "waiting", "failed"] as const).map((state) => {
      list(conversation({ state }));
      icons.add(icon());
      return document.title;
    });
    expect(titles).toEqual([
      "Stack discount codes – shop – Patchbay",
      "Working: Stack discount codes – shop – Patchbay",
      "Waiting: Stack discount codes – shop – Patchbay",
      "Needs attention: Stack discount codes – shop – Patchbay",
    ]);
    expect(icons.size).toBe(4);
  });

  it("names the conversation that asks, where it is another one", () => {
    const other = conversation({ id: "c2", title: "Other\nwork", folder: "/home/me/site", state: "waiting" });
    list(conversation({ state: "running" }), other);
    expect(document.title).toBe(String.raw`Waiting: Other\nwork – site – Patchbay`);
  });

  it("says that a turn has ended until somebody has looked", () => {
    list(conversation({ state: "running" }));
    hide(true);
    list(conversation({}));
    expect(document.title).toBe("Done: Stack discount codes – shop – Patchbay");
    hide(false);
    expect(document.title).toBe("Stack discount codes – shop – Patchbay");
  });

  it("says that a review waits", () => {
    list(conversation({}));
    tab.hear({ type: "review", about: { type: "reviews", reviews: [{}], unwritten: [] } }, "c1");
    expect(document.title).toMatch(/^Waiting: /u);
    tab.hear({ type: "review", about: { type: "reviews", reviews: [], unwritten: [] } }, "c1");
    expect(document.title).toBe("Stack discount codes – shop – Patchbay");
  });

  it("tells of each question once, and only while it is hidden", () => {
    list(conversation({ state: "waiting" }));
    list(conversation({ state: "running" }));
    expect(TestNotification.titles).toEqual([]);
    hide(true);
    list(conversation({ state: "waiting" }));
    list(conversation({ state: "waiting", changedAt: 1 }));
    expect(TestNotification.titles).toEqual(["Waiting: Stack discount codes – shop – Patchbay"]);
  });

  it("tells of none without the user's leave", async () => {
    TestNotification.permission = "default";
    hide(true);
    list(conversation({ state: "waiting" }));
    expect([tab.mayAskToNotify(), TestNotification.titles]).toEqual([true, []]);
    await tab.askToNotify();
    expect(tab.mayAskToNotify()).toBe(false);
  });
});

describe("the offer to be told of questions", () => {
  it("is in the menu where a browser shows the page, and nowhere else", async () => {
    const panel = await TestPanel.show([]);
    const items = (): readonly HTMLElement[] => Array.from(panel.root.querySelectorAll<HTMLElement>("[role=menuitem]"));
    const names = (): readonly (string | null)[] => items().map(({ textContent }) => textContent);
    await panel.press("More actions");
    expect(names()).toContain("Rename");
    expect(names()).not.toContain("Notify me when an agent asks");
    await panel.do(() =>
      panel.host.say({ type: "settings", settings: { ...panel.host.settings, offersNotices: true } }),
    );
    await panel.do(() =>
      items()
        .find(({ textContent }) => textContent === "Notify me when an agent asks")
        ?.click(),
    );
    expect(panel.heard("notify")).toEqual([{ type: "notify" }]);
    panel.close();
  });
});
