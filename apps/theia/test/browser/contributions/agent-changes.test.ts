// @vitest-environment jsdom
import { SimulatedTheia } from "../../support/simulated-theia.ts";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TurnSource, TurnWitness } from "@patchbay/core";
import type { CommandRegistry } from "@theia/core/lib/common/command";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AgentChanges } from "../../../src/browser/contributions/agent-changes.ts";
import { patchbayCommands } from "../../../src/browser/contributions/patchbay-commands.ts";
import { PanelChanges } from "../../../src/browser/panel/panel-actions.ts";
import { Lists } from "../../../src/browser/surfaces/lists.ts";
import type { ListedTurn } from "../../../src/common/protocol.ts";
import { createTestBackend, settle, type TestBackend } from "../../support/backend.ts";

let folder: string;
let state: string;
let theia: SimulatedTheia;
let backend: TestBackend;
let changes: AgentChanges;
let commands: CommandRegistry;
let opened: string[];
let reason: string | undefined;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-work-")));
  state = mkdtempSync(join(tmpdir(), "patchbay-state-"));
  vi.stubEnv("XDG_STATE_HOME", state);
  theia = new SimulatedTheia();
  theia.roots = [folder];
  backend = createTestBackend();
  opened = [];
  reason = undefined;
  theia.container.bind(PanelChanges).toSelf();
  theia.container.bind<unknown>(Lists).toConstantValue({ ask: async () => reason });
  theia.container.rebind<unknown>(EditorManager).toConstantValue({
    open: async (uri: { toString(): string }) => void opened.push(decodeURIComponent(uri.toString())),
  });
  theia.container.bind(AgentChanges).toSelf();
  changes = theia.container.get(AgentChanges);
  commands = theia.commands(AgentChanges);
  changes.registerCommands(commands);
  changes.onStart();
  theia.connect(backend);
  theia.attachment.onStart();
  await settle();
});
afterEach(async () => {
  theia.dispose();
  await backend.workspaces.stop();
  vi.unstubAllEnvs();
  for (const path of [folder, state]) rmSync(path, { recursive: true, force: true });
});

const at = (name: string): string => join(folder, name);
const source = (): TurnSource => ({ agent: "claude", agentName: "Claude Code", session: "s1", folder });

function witness(): TurnWitness {
  const turns = backend.companions[0]?.turns;
  if (turns === undefined) throw new Error("nobody follows the turns");
  return turns;
}

/** The agent changes a file without asking; the window has heard of it. */
async function change(): Promise<ListedTurn> {
  writeFileSync(at("a.txt"), "one\n");
  witness().turnBegan(source(), "Change it");
  witness().aboutToWrite(source(), [{ path: at("a.txt"), before: "one\n" }]);
  await witness().ready();
  writeFileSync(at("a.txt"), "two\n");
  witness().wrote(source());
  await witness().ready();
  await expect
    .poll(async () => {
      backend.clock.advance(200);
      await settle();
      return changes.turns.length;
    })
    .toBe(1);
  const [turn] = changes.turns;
  if (turn === undefined) throw new Error("no turn is listed");
  return turn;
}

const text = (): string => readFileSync(at("a.txt"), "utf8");

describe("what agents changed without a review", () => {
  it("opens beside the file as it was", async () => {
    const turn = await change();
    await changes.act("open", turn, at("a.txt"));
    expect(opened).toHaveLength(1);
    expect(opened[0]).toMatch(/^diff:.*patchbay-theia-change:.*a\.txt\?before-1.*file:.*a\.txt/u);
  });

  it("is kept, and not listed any more", async () => {
    await changes.act("keep", await change(), undefined);
    backend.clock.advance(200);
    await expect.poll(() => changes.turns).toEqual([]);
    expect(text()).toBe("two\n");
  });

  it("is undone once the agent has finished, and at once for who does not want to wait", async () => {
    await changes.act("undo", await change(), undefined);
    const waits = "Claude Code is working. This is undone when it has finished.";
    expect(theia.messages.said).toEqual([`info: ${waits}`]);
    expect(text()).toBe("two\n");
    theia.messages.answer(waits, "Undo Now");
    await expect.poll(text).toBe("one\n");
    const done = "Undone. The agent is told with your next prompt.";
    await expect.poll(() => theia.messages.said.at(-1)).toBe(`info: ${done}`);
    theia.messages.answer(done, "Bring Back");
    await expect.poll(text).toBe("two\n");
  });

  it("is undone by a command, with a reason that the agent reads", async () => {
    expect(commands.isEnabled(patchbayCommands.undoTurnWithReason.id)).toBe(false);
    await change();
    witness().turnEnded(source());
    await commands.executeCommand(patchbayCommands.undoTurnWithReason.id);
    expect(text()).toBe("two\n");
    reason = " It was right before ";
    await commands.executeCommand(patchbayCommands.undoTurnWithReason.id);
    expect(text()).toBe("one\n");
    expect(await witness().notes?.(source())).toMatchObject([{ text: expect.stringMatching(/It was right before$/u) }]);
    await commands.executeCommand(patchbayCommands.bringBack.id);
    expect(text()).toBe("two\n");
    await commands.executeCommand(patchbayCommands.bringBack.id);
    expect(theia.messages.said.at(-1)).toBe("info: There is nothing to bring back.");
  });

  it("is left alone where it was changed again since, and the user is told so", async () => {
    const turn = await change();
    witness().turnEnded(source());
    writeFileSync(at("a.txt"), "three\n");
    await changes.act("undo", turn, undefined);
    expect(theia.messages.said).toEqual(["warn: 1 of the changes were changed again since and left alone: a.txt"]);
    expect(text()).toBe("three\n");
  });
});
