// @vitest-environment jsdom
import { SimulatedTheia } from "../../support/simulated-theia.ts";
import type { ProposalInfo } from "@patchbay/core";
import { BadgeService } from "@theia/core/lib/browser/badges/badge-service";
import { QuickViewService } from "@theia/core/lib/browser/quick-input/quick-view-service";
import { WidgetManager } from "@theia/core/lib/browser/widget-manager";
import { CommandRegistry } from "@theia/core/lib/common/command";
import { Emitter } from "@theia/core/lib/common/event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AgentChanges } from "../../../src/browser/contributions/agent-changes.ts";
import { AgentTerminals } from "../../../src/browser/contributions/agent-terminals.ts";
import { InboxContribution } from "../../../src/browser/contributions/inbox-contribution.ts";
import { KeptTexts } from "../../../src/browser/contributions/kept-texts.ts";
import { patchbayCommands } from "../../../src/browser/contributions/patchbay-commands.ts";
import { inboxRows } from "../../../src/browser/inbox/inbox-rows.ts";
import type { InboxRequest } from "../../../src/browser/inbox/inbox-widget.ts";
import type { WindowStatus } from "../../../src/common/protocol.ts";
import { settle } from "../../support/backend.ts";
// Loaded with the first wish, which takes longer than a test waits.
import "../../../src/browser/contributions/inbox-actions.ts";

const proposal: ProposalInfo = {
  id: "one",
  sessionId: "g1",
  agentName: "Gemini CLI",
  path: "/workspace/a.txt",
  kind: "change",
  state: "shown",
  standing: "unchanged",
  edited: false,
  isHeld: false,
  createdAt: 0,
  lines: undefined,
  sessionTitle: undefined,
};

const status: WindowStatus = {
  state: { kind: "listening", port: 1, warnings: [] },
  environment: {},
  sessions: [
    {
      id: "g1",
      dialect: "gemini",
      agentName: "Gemini CLI",
      version: "0.61",
      pid: 7,
      state: "connected",
      since: 0,
      openProposals: 3,
    },
  ],
  proposals: [proposal, { ...proposal, id: "two" }, { ...proposal, id: "held", isHeld: true }],
  keptTexts: [],
  activities: [],
  commands: { all: [] },
};

let theia: SimulatedTheia;
let wish: Emitter<InboxRequest>;
let run: unknown[];
let gone: unknown[];
let visibility: Emitter<boolean>;
let widget: { isVisible: boolean; presented: number };

beforeEach(() => {
  theia = new SimulatedTheia();
  run = [];
  gone = [];
  wish = new Emitter();
  const { container } = theia;
  const executeCommand = async (...given: readonly unknown[]): Promise<void> => void run.push(given);
  container.bind<unknown>(CommandRegistry).toConstantValue({ executeCommand });
  container.bind<unknown>(AgentChanges).toConstantValue({ turns: [] });
  container.bind<unknown>(AgentTerminals).toConstantValue({ goTo: async (where: unknown) => void gone.push(where) });
  for (const part of [BadgeService, KeptTexts, QuickViewService, WidgetManager])
    container.bind<unknown>(part).toConstantValue({ showBadge: () => {} });
  visibility = new Emitter();
  const view = {
    isVisible: false,
    isDisposed: false,
    presented: 0,
    onDidAsk: wish.event,
    onDidGroup: new Emitter<void>().event,
    onDidOffer: new Emitter<string>().event,
    onDidChangeVisibility: visibility.event,
    disposed: { connect: () => true },
    present: async () => void (view.presented += 1),
  };
  widget = view;
  theia.container.resolve(InboxContribution).adopt(view as never);
});
afterEach(() => theia.dispose());

it.each(["an agent", "a folder"])(
  "decides everything of %s by the command that asks first, and goes nowhere",
  async (kind) => {
    const [row] = inboxRows(status, { roots: [], now: 0, isByFolder: kind === "a folder" });
    if (row === undefined) throw new Error("There is no agent.");
    for (const action of ["showAll", "acceptAll", "rejectAll"] as const) wish.fire({ row, action });
    await settle();
    expect(run).toEqual([
      [patchbayCommands.showAll.id, ["one", "two"]],
      [patchbayCommands.acceptAll.id, ["one", "two"]],
      [patchbayCommands.rejectAll.id, ["one", "two"]],
    ]);
    expect(gone).toEqual([]);
  },
);

it("writes ages anew only while somebody sees them", async () => {
  await settle();
  vi.useFakeTimers();
  try {
    visibility.fire(false);
    expect(vi.getTimerCount()).toBe(0);
    widget.isVisible = true;
    visibility.fire(true);
    const before = widget.presented;
    await vi.advanceTimersByTimeAsync(90_000);
    expect(widget.presented).toBe(before + 3);
    widget.isVisible = false;
    visibility.fire(false);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
