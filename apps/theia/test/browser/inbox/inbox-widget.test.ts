// @vitest-environment jsdom
import "../../support/browser.ts";
import { ContextKeyService, ContextKeyServiceDummyImpl } from "@theia/core/lib/browser/context-key-service";
import { ContextMenuRenderer } from "@theia/core/lib/browser/context-menu-renderer";
import { KeybindingRegistry } from "@theia/core/lib/browser/keybinding";
import { LabelProvider } from "@theia/core/lib/browser/label-provider";
import { Widget } from "@theia/core/lib/browser/widgets/widget";
import { CorePreferences } from "@theia/core/lib/common/core-preferences";
import { Emitter } from "@theia/core/lib/common/event";
import { ILogger } from "@theia/core/lib/common/logger";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { SelectionService } from "@theia/core/lib/common/selection-service";
import { Container } from "@theia/core/shared/inversify";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { InboxAction, InboxRow } from "../../../src/browser/inbox/inbox-row.ts";
import { InboxWidget } from "../../../src/browser/inbox/inbox-widget.ts";
import { listedTurn } from "../../support/turn-ledger.ts";

const waiting = {
  around: { roots: ["/workspace"], now: 0 },
  status: {
    state: { kind: "listening", port: 1, warnings: [] },
    environment: {},
    sessions: [],
    keptTexts: [],
    activities: [],
    commands: { all: [] },
  },
  proposals: [
    {
      id: "one",
      sessionId: "g1",
      agentName: "Gemini CLI",
      path: "/workspace/src/a.txt",
      kind: "change",
      state: "shown",
      standing: "unchanged",
      edited: false,
      isHeld: false,
      createdAt: 0,
      lines: undefined,
      sessionTitle: undefined,
    },
  ],
} as const;

const nobody = { words: "Nobody is connected.", offers: [{ label: "Diagnose", command: "diagnose", isMain: false }] };

let widget: InboxWidget;
let asked: (readonly [string, InboxAction])[];

beforeEach(() => {
  widget = create();
});
afterEach(() => widget.dispose());

function create(): InboxWidget {
  const container = new Container({ defaultScope: "Singleton" });
  const event = new Emitter<never>().event;
  container.bind<unknown>(ContextMenuRenderer).toConstantValue({});
  container.bind<unknown>(KeybindingRegistry).toConstantValue({
    getKeybindingsForCommand: (command: string) => (command.includes("accept") ? [{ keybinding: "a" }] : []),
    acceleratorFor: () => ["A"],
  });
  container.bind<unknown>(LabelProvider).toConstantValue({ onDidChange: event });
  container.bind<unknown>(CorePreferences).toConstantValue({ onPreferenceChanged: event });
  container.bind<unknown>(PreferenceService).toConstantValue({
    onPreferenceChanged: event,
    get: (_name: string, fallback: unknown) => fallback,
  });
  container.bind<unknown>(ILogger).toConstantValue({ debug: () => {} });
  container.bind(SelectionService).toSelf();
  container.bind(ContextKeyService).to(ContextKeyServiceDummyImpl);
  const made = InboxWidget.create(container);
  asked = [];
  made.onDidAsk(({ row, action }) => asked.push([row.id, action]));
  // Theia's scroll bars measure what is on a screen.
  Object.assign(made, { scrollOptions: undefined });
  Widget.attach(made, document.body);
  return made;
}

function row(id: string, facts: Partial<InboxRow> = {}): InboxRow {
  return {
    id,
    subject: { kind: "command", command: { id, agentName: "x", owner: "o", command: id, folder: undefined, since: 0 } },
    icon: "bell",
    tone: "attention",
    label: id,
    state: "waits for you",
    facts: [],
    lines: undefined,
    tooltip: id,
    actions: ["accept", "reject"],
    children: [],
    ...facts,
  };
}

function agent(...children: readonly InboxRow[]): InboxRow {
  return row("agent", { subject: { kind: "presence", presence: undefined }, actions: [], state: "", children });
}

/** The lines as they stand on the page, the selected one marked. */
async function lines(count: number): Promise<readonly string[]> {
  await expect.poll(() => document.querySelectorAll(".patchbay-inbox-caption").length).toBe(count);
  return Array.from(document.querySelectorAll(".theia-TreeNode"), (node) => {
    const words = Array.from(node.querySelectorAll(".patchbay-inbox-caption > span"), ({ textContent }) => textContent);
    return `${node.classList.contains("theia-mod-selected") ? "> " : ""}${words.join(" ")}`;
  });
}

it("draws rows with their state, and a button with its key for each thing to do", async () => {
  await widget.display([agent(row("a.txt", { lines: { added: 3, removed: 1 }, facts: ["src"] }))], nobody);
  expect(await lines(2)).toEqual(["agent", "a.txt waits for you +3 −1 src"]);
  const buttons = Array.from(document.querySelectorAll<HTMLElement>(".patchbay-inbox-actions > button"));
  expect(buttons.map(({ title }) => title)).toEqual(["Accept (A)", "Reject"]);
  buttons[1]?.click();
  expect(asked).toEqual([["a.txt", "reject"]]);
});

it("has the keys of a yes and a no also for all proposals of an agent", async () => {
  await widget.display([{ ...agent(row("a.txt")), actions: ["acceptAll", "rejectAll"] }], nobody);
  await lines(2);
  const [all] = Array.from(document.querySelectorAll<HTMLElement>(".patchbay-inbox-actions > button"));
  expect(all?.title).toBe("Accept All (A)");
  all?.click();
  document.querySelector<HTMLElement>(".theia-TreeNode")?.click();
  await expect.poll(() => widget.selected?.id).toBe("agent");
  widget.ask("reject");
  expect(asked).toEqual([
    ["agent", "acceptAll"],
    ["agent", "rejectAll"],
  ]);
});

it("goes from one thing that waits to the next, around, and asks about the selected one", async () => {
  await widget.display([agent(row("one"), row("two", { actions: ["open"] }))], nobody);
  for (const expected of ["one", "two", "one"]) {
    widget.step(1);
    expect(widget.selected?.id).toBe(expected);
  }
  widget.step(-1);
  expect(widget.selected?.id).toBe("two");
  // What a row does not offer cannot be done by its key either.
  widget.ask("accept");
  widget.ask("open");
  widget.model.openNode(undefined);
  expect(asked).toEqual([
    ["two", "open"],
    ["two", "open"],
  ]);
});

it("keeps the selection over what comes and goes; what was decided hands it to the next", async () => {
  await widget.display([agent(row("one"), row("two"), row("three"))], nobody);
  widget.step(1);
  widget.step(1);
  await widget.display([agent(row("new"), row("one"), row("two", { state: "edited" }), row("three"))], nobody);
  expect(widget.selected?.state).toBe("edited");
  await widget.display([agent(row("one"), row("three"))], nobody);
  expect(widget.selected?.id).toBe("three");
  await widget.display([agent(row("one"))], nobody);
  expect(widget.selected?.id).toBe("one");
  expect(await lines(2)).toEqual(["agent", "> one waits for you"]);
});

it("comes back from a layout folded and selected as it was left", async () => {
  const rows = [agent(row("one")), { ...agent(row("two")), id: "other" }];
  await widget.display(rows, nobody);
  widget.step(-1);
  const [folded] = rows;
  const node = widget.model.getNode(folded?.id);
  if (node === undefined || !("expanded" in node)) throw new Error("There is no such agent.");
  await widget.model.collapseNode(Object.assign(node, { expanded: true, children: [] }));
  const place: unknown = JSON.parse(JSON.stringify(widget.storeState()));
  widget.dispose();
  widget = create();
  widget.restoreState(Object.assign({}, place));
  await widget.display([], nobody);
  await widget.display(rows, nobody);
  expect(await lines(3)).toEqual(["agent", "agent", "> two waits for you"]);
  // What is folded away is no stop for the keys.
  widget.step(1);
  expect(widget.selected?.id).toBe("two");
});

it("keeps with the layout that what waits is shown by folder, and asks for the rows anew", async () => {
  widget.group(true);
  const place: unknown = JSON.parse(JSON.stringify(widget.storeState()));
  widget.dispose();
  widget = create();
  let grouped = 0;
  widget.onDidGroup(() => {
    grouped += 1;
  });
  widget.restoreState(Object.assign({}, place));
  expect([grouped, widget.isByFolder]).toEqual([1, true]);
  const { proposals, around, status } = waiting;
  await widget.present({ ...status, proposals }, [], around, nobody);
  await lines(2);
  expect(widget.model.getNode("folder:/workspace/src")).toBeDefined();
  // A folder waits for nobody; what is in it does.
  widget.step(1);
  expect(widget.selected?.id).toBe("proposal:one");
});

it("goes on in the next folder, not at its row, when the last one of a folder is answered", async () => {
  const folder = (id: string, ...children: readonly InboxRow[]): InboxRow =>
    row(id, { subject: { kind: "folder" }, actions: ["acceptAll", "rejectAll"], state: "", children });
  await widget.display([folder("src", row("one")), folder("test", row("two"), row("three"))], nobody);
  widget.step(1);
  await widget.display([folder("test", row("two"), row("three"))], nobody);
  expect(widget.selected?.id).toBe("two");
});

it("says why it is empty and offers what to do", async () => {
  const offered: string[] = [];
  widget.onDidOffer((command) => offered.push(command));
  await widget.display([], nobody);
  await expect.poll(() => document.querySelector(".patchbay-inbox-empty p")?.textContent).toBe(nobody.words);
  document.querySelector<HTMLElement>(".patchbay-inbox-empty button")?.click();
  expect(offered).toEqual(["diagnose"]);
});

it("keeps and undoes with the keys of a yes and a no", async () => {
  await widget.display([agent(row("changed.txt", { actions: ["open", "keep", "undo"] }))], nobody);
  await lines(2);
  const buttons = Array.from(document.querySelectorAll<HTMLElement>(".patchbay-inbox-actions > button"));
  expect(buttons.map(({ title }) => title)).toEqual(["Open", "Keep (A)", "Undo"]);
  widget.step(1);
  widget.ask("accept");
  widget.ask("reject");
  widget.ask("hold");
  expect(asked).toEqual([
    ["changed.txt", "keep"],
    ["changed.txt", "undo"],
  ]);
});

it("decides no whole turn by a key that was meant for one more file, and opens none by folding", async () => {
  const listed = listedTurn();
  const whole = (id: string, child: string): InboxRow =>
    row(id, {
      subject: { kind: "turn", turn: listed, path: undefined },
      actions: ["open", "keep", "undo"],
      children: [row(child, { subject: { kind: "turn", turn: listed, path: child }, actions: ["keep", "undo"] })],
    });
  await widget.display([agent(whole("new", "a.txt"), whole("old", "b.txt"))], nobody);
  await lines(5);
  widget.step(1);
  await widget.display([agent(whole("old", "b.txt"))], nobody);
  widget.ask("reject");
  expect(asked).toEqual([["b.txt", "undo"]]);
  widget.model.openNode(widget.model.getNode("old"));
  widget.model.openNode(widget.model.getNode("b.txt"));
  expect(asked).toEqual([
    ["b.txt", "undo"],
    ["b.txt", "open"],
  ]);
});

it("goes from an answer to no row that asks nothing: the next key would undo what nobody meant", async () => {
  const changed = (id: string, path: string | undefined): InboxRow =>
    row(id, { subject: { kind: "turn", turn: listedTurn({ prompt: "" }), path }, actions: ["open", "keep", "undo"] });
  const rest = changed("rest", "/a.txt");
  await widget.display([agent(row("asks"), rest)], nobody);
  widget.step(1);
  expect(widget.selected?.id).toBe("asks");
  widget.step(1);
  expect(widget.selected?.id).toBe("asks");
  await widget.display([agent(rest)], nobody);
  widget.ask("reject");
  expect(asked).toEqual([]);
  widget.step(1);
  expect(widget.selected?.id).toBe("rest");
});

it("opens what is selected, also where Theia has forgotten that it had the focus", async () => {
  await widget.display([agent(row("asks"))], nobody);
  await lines(2);
  widget.step(1);
  // As Theia does with the key Escape.
  const focus: unknown = Reflect.get(widget, "focusService");
  if (typeof focus !== "object" || focus === null) throw new Error("Theia has no such service any more");
  Reflect.apply(Reflect.get(focus, "setFocus"), focus, [undefined]);
  widget.node.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", code: "Enter", keyCode: 13, bubbles: true }));
  expect(asked).toEqual([["asks", "open"]]);
});
