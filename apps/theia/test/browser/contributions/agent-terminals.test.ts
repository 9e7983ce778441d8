// @vitest-environment jsdom
import { SimulatedTheia } from "../../support/simulated-theia.ts";
import process from "node:process";
import type { ProposalInfo, SessionInfo } from "@patchbay/core";
import { CommandRegistry } from "@theia/core/lib/common/command";
import { TerminalService } from "@theia/terminal/lib/browser/base/terminal-service";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AgentPrompts } from "../../../src/browser/contributions/agent-prompts.ts";
import { AgentTerminals } from "../../../src/browser/contributions/agent-terminals.ts";
import { patchbayCommands } from "../../../src/browser/contributions/patchbay-commands.ts";
import { createTestBackend, settle, type TestBackend } from "../../support/backend.ts";

const session: SessionInfo = {
  id: "1",
  dialect: "gemini",
  agentName: "Gemini CLI",
  pid: process.pid,
  state: "connected",
  since: 0,
  openProposals: 1,
};

const info: ProposalInfo = {
  id: "one",
  sessionId: "1",
  agentName: "Gemini CLI",
  path: "/workspace/one.txt",
  kind: "change",
  state: "shown",
  standing: "unchanged",
  edited: false,
  isHeld: false,
  createdAt: 0,
  lines: undefined,
  sessionTitle: undefined,
};

let theia: SimulatedTheia;
let backend: TestBackend;
let commands: CommandRegistry;
let opened: unknown[];
let terminals: readonly object[];
let shown: string[];

beforeEach(async () => {
  theia = new SimulatedTheia();
  backend = createTestBackend();
  opened = [];
  terminals = [{ name: "the agent's", processId: Promise.resolve(process.pid) }];
  shown = [];
  const { container } = theia;
  container.bind(AgentPrompts).toSelf();
  container.bind<unknown>(CommandRegistry).toConstantValue({ executeCommand: async (id: string) => shown.push(id) });
  container.bind<unknown>(TerminalService).toConstantValue({
    get all() {
      return terminals;
    },
    open: async (terminal: unknown) => opened.push(terminal),
    lastUsedTerminal: undefined,
  });
  theia.connect(backend);
  theia.attachment.onStart();
  await settle();
  commands = theia.commands(AgentTerminals);
});
afterEach(() => theia.dispose());

it("goes from a terminal to what waits; where nothing does, to the view", async () => {
  theia.receive({ ...theia.attachment.status, sessions: [session] });
  await commands.executeCommand(patchbayCommands.goToReview.id);
  expect(shown).toEqual([patchbayCommands.showConnections.id]);
  theia.receive({ ...theia.attachment.status, sessions: [session], proposals: [info] });
  await commands.executeCommand(patchbayCommands.goToReview.id);
  expect(backend.companions[0]?.asked).toEqual(["reveal one"]);
});

it("goes back to the terminal of the agent that asks, and says where there is none", async () => {
  theia.receive({ ...theia.attachment.status, sessions: [session], proposals: [info] });
  await commands.executeCommand(patchbayCommands.goToTerminal.id);
  expect(opened).toEqual(terminals);
  terminals = [];
  await theia.proposals.show({
    id: "one",
    agentName: "Gemini CLI",
    path: info.path,
    originalText: "",
    unsaved: false,
    standing: "unchanged",
    kind: "change",
    proposedText: "x",
    agentPresent: true,
  });
  await commands.executeCommand(patchbayCommands.goToTerminal.id);
  expect(theia.messages.said).toEqual(["info: Gemini CLI does not run in a terminal of this window."]);
});
