// @vitest-environment jsdom
import { SimulatedTheia } from "../../support/simulated-theia.ts";
import type { DiffRequest } from "@patchbay/core";
import { ClipboardService } from "@theia/core/lib/browser/clipboard-service";
import { ContextKeyService, ContextKeyServiceDummyImpl } from "@theia/core/lib/browser/context-key-service";
import { ContextMenuRenderer } from "@theia/core/lib/browser/context-menu-renderer";
import { KeybindingRegistry } from "@theia/core/lib/browser/keybinding";
import { LabelParser } from "@theia/core/lib/browser/label-parser";
import { LabelProvider } from "@theia/core/lib/browser/label-provider";
import { QuickInputService } from "@theia/core/lib/browser/quick-input/quick-input-service";
import { StatusBar, type StatusBarEntry } from "@theia/core/lib/browser/status-bar/status-bar-types";
import { Widget } from "@theia/core/lib/browser/widgets/widget";
import { CommandRegistry } from "@theia/core/lib/common/command";
import { CorePreferences } from "@theia/core/lib/common/core-preferences";
import { Event } from "@theia/core/lib/common/event";
import { ILogger } from "@theia/core/lib/common/logger";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import type { QuickPickItem } from "@theia/core/lib/common/quick-pick-service";
import { InMemoryResources } from "@theia/core/lib/common/resource";
import { SelectionService } from "@theia/core/lib/common/selection-service";
import { Container, type interfaces } from "@theia/core/shared/inversify";
import markdownit from "@theia/core/shared/markdown-it";
import { TerminalService } from "@theia/terminal/lib/browser/base/terminal-service";
import { afterEach, describe, expect, it, vi } from "vitest";
import { AgentActions } from "../../../src/browser/contributions/agent-actions.ts";
import { AgentChanges } from "../../../src/browser/contributions/agent-changes.ts";
import { AgentPrompts } from "../../../src/browser/contributions/agent-prompts.ts";
import { AgentNotices, AgentTerminals } from "../../../src/browser/contributions/agent-terminals.ts";
import { DiagnosisWidget } from "../../../src/browser/contributions/diagnosis-widget.ts";
import { Hooks } from "../../../src/browser/contributions/hooks.ts";
import { KeptTexts } from "../../../src/browser/contributions/kept-texts.ts";
import { agentLaunches, patchbayCommands } from "../../../src/browser/contributions/patchbay-commands.ts";
import { ReviewContribution } from "../../../src/browser/contributions/review-contribution.ts";
import { StatusBarContribution } from "../../../src/browser/contributions/status-bar.ts";
import { InboxWidget } from "../../../src/browser/inbox/inbox-widget.ts";
import { PanelChanges } from "../../../src/browser/panel/panel-places.ts";
import { ProposalLabels } from "../../../src/browser/review/proposal-resources.ts";
import { Lists } from "../../../src/browser/surfaces/lists.ts";
import { DeleteConversationDialog, DiscardDialog } from "../../../src/browser/surfaces/careful-dialogs.ts";
import { ReviewCloseDialog } from "../../../src/browser/surfaces/review-dialogs.ts";
import { ProblemReader } from "../../../src/browser/documents/problem-reader.ts";
import { WindowClient } from "../../../src/browser/window/window-client.ts";
import { preferenceNames } from "../../../src/common/preferences.ts";
import { PatchbayServer } from "../../../src/common/protocol.ts";
import { settle } from "../../support/backend.ts";
import { HostileBackend } from "./hostile-backend.ts";
import { hostileNames, unseenIn } from "./hostile-names.ts";

const request: DiffRequest = {
  id: "one",
  agentName: "",
  path: "",
  originalText: "old\n",
  unsaved: true,
  standing: "conflict",
  kind: "change",
  proposedText: "new\n",
  agentPresent: false,
};

/** What of a page a person sees, hears or is shown by the pointer. */
function wordsOf(page: ParentNode): readonly string[] {
  return Array.from(page.querySelectorAll("*"), (element) => {
    const own = Array.from(element.childNodes).flatMap(({ nodeType, nodeValue }) =>
      nodeType === Node.TEXT_NODE ? [nodeValue ?? ""] : [],
    );
    return [...own, ...["title", "aria-label", "alt"].map((name) => element.getAttribute(name) ?? "")];
  })
    .flat()
    .filter((text) => text !== "");
}

/** A window in which everything is shown that it can show, and what was shown, by surface. */
class ShowingWindow {
  readonly theia: SimulatedTheia = new SimulatedTheia();
  readonly shown: Map<string, string[]> = new Map();
  readonly pages: Element[] = [];
  readonly #backend: HostileBackend;
  readonly #widgets: Widget[] = [];

  constructor(name: string) {
    this.#backend = new HostileBackend(name);
    const { container } = this.theia;
    const stand = (what: interfaces.ServiceIdentifier, value: object): void =>
      void (container.isBound(what) ? container.rebind<unknown>(what) : container.bind<unknown>(what)).toConstantValue(
        value,
      );
    stand(PatchbayServer, this.#backend);
    stand(StatusBar, {
      setElement: async (_id: string, entry: StatusBarEntry) => {
        this.note("status", entry.text.replace(/^\$\([\w-]+\) /u, ""));
        this.note(
          "tooltips of the status",
          typeof entry.tooltip === "string" ? entry.tooltip : "",
          entry.accessibilityInformation?.label ?? "",
        );
      },
      removeElement: async () => {},
    });
    stand(QuickInputService, {
      showQuickPick: async (items: readonly (QuickPickItem & { item: unknown })[], { placeholder = "" }) => {
        this.note("lists", placeholder);
        for (const { label = "", description = "", detail = "" } of items)
          this.note("lists", label.replace(/^\$\([\w-]+\) /u, ""), description, detail);
        return items[0];
      },
      input: async ({ placeHolder = "", prompt = "" }) => {
        this.note("inputs", placeHolder, prompt);
        return "because";
      },
    });
    stand(ClipboardService, { writeText: async () => {} });
    stand(TerminalService, { all: [] });
    stand(AgentTerminals, {});
    stand(CommandRegistry, { isEnabled: () => true });
    stand(ProblemReader, { onDidChange: Event.None });
    for (const service of [
      AgentActions,
      AgentChanges,
      AgentNotices,
      AgentPrompts,
      DiagnosisWidget,
      Hooks,
      KeptTexts,
      Lists,
      InMemoryResources,
      PanelChanges,
      StatusBarContribution,
    ])
      container.bind<unknown>(service).toSelf();
  }

  note(surface: string, ...texts: readonly string[]): void {
    this.shown.set(surface, [...(this.shown.get(surface) ?? []), ...texts.filter((text) => text !== "")]);
  }

  /** Does what makes texts appear. */
  async showAll(): Promise<void> {
    const { theia } = this;
    const { container } = theia;
    const { name, path, status, turn } = this.#backend;
    await theia.proposals.show({ ...request, agentName: name, path });
    for (const { title, editor } of theia.editors.all) {
      const labels = container.get(ProposalLabels);
      this.note("tabs", title.caption, labels.getName(editor.uri), labels.getLongName(editor.uri));
      theia.proposals.flush();
    }
    container.get(ProposalLabels).delete("one");
    for (const { editor } of theia.editors.all) this.note("tabs", container.get(ProposalLabels).getName(editor.uri));
    const commands = theia.commands(ReviewContribution, KeptTexts);
    theia.attachment.onStart();
    const changes = container.get(AgentChanges);
    changes.onStart();
    container.get(StatusBarContribution).onStart();
    theia.setPreference(preferenceNames.notify, "hiddenTerminal");
    container.get(AgentNotices).onStart();
    theia.receive({ ...status, activities: [] });
    theia.receive(status);
    container.get(WindowClient).notifyTurns();
    await settle();

    // What a command does after a notification or a dialog waits for nobody here.
    for (const { preference } of agentLaunches.slice(0, 1)) theia.setPreference(preference, `one\n${name}`);
    const [launch] = agentLaunches;
    if (launch !== undefined) await container.get(AgentActions).run(launch);
    await container.get(AgentActions).showShared();
    await container
      .get(WindowClient)
      .showMessage({ id: 1, code: "x", severity: "warning", text: name, values: {}, actions: [] });
    await commands.executeCommand(patchbayCommands.rejectWithReason.id);
    await commands.executeCommand(patchbayCommands.saveKept.id);
    const asked = this.dialogOf(() => void commands.executeCommand(patchbayCommands.acceptAll.id));
    this.note("dialogs", ...(await asked));
    this.note("dialogs", ...(await this.dialogOf(() => void new DiscardDialog(name).open())));
    this.note("dialogs", ...(await this.dialogOf(() => void new ReviewCloseDialog(name, name).open())));
    this.note("dialogs", ...(await this.dialogOf(() => void new DeleteConversationDialog(name).open())));

    const opened = vi.spyOn(theia.editors, "open").mockImplementation(async (uri) => {
      this.note("tabs", uri.path.toString().replace(/^\//u, ""));
      const [first] = theia.editors.all;
      if (first === undefined) throw new Error("nothing is open");
      return first;
    });
    Object.assign(theia.shell, { closeWidget: async () => {} });
    await changes.act("open", turn, undefined);
    await changes.act("undo", turn, undefined);
    const ofTurns = new CommandRegistry({ getContributions: () => [] });
    changes.registerCommands(ofTurns);
    for (const command of ["undoSession", "undoTurnWithReason"] as const)
      await ofTurns.executeCommand(patchbayCommands[command].id);
    await container.get(Hooks).change("install");
    opened.mockRestore();

    await this.attach("rows", await this.inbox());
    await this.attach("diagnosis", container.get(DiagnosisWidget));
    this.note("messages", ...theia.messages.said.map((said) => said.replace(/^\w+: /u, "")));
  }

  dispose(): void {
    vi.restoreAllMocks();
    for (const widget of this.#widgets) widget.dispose();
    for (const overlay of document.querySelectorAll(".dialogOverlay")) overlay.remove();
    this.theia.dispose();
  }

  protected async inbox(): Promise<InboxWidget> {
    // Of its own: a tree is made of many parts of Theia's, which log by names.
    const container = new Container({ defaultScope: "Singleton" });
    const stand = (what: interfaces.ServiceIdentifier, value: object): void =>
      void container.bind<unknown>(what).toConstantValue(value);
    stand(ContextMenuRenderer, {});
    stand(KeybindingRegistry, { getKeybindingsForCommand: () => [] });
    stand(LabelProvider, { onDidChange: Event.None });
    stand(CorePreferences, { onPreferenceChanged: Event.None });
    stand(PreferenceService, { onPreferenceChanged: Event.None, get: (_name: string, fallback: unknown) => fallback });
    stand(ILogger, { debug: () => {} });
    container.bind(SelectionService).toSelf();
    container.bind(ContextKeyService).to(ContextKeyServiceDummyImpl);
    const widget = InboxWidget.create(container);
    const empty = { words: "", offers: [] };
    const around = { roots: ["/workspace"], now: 1 };
    await widget.present(this.#backend.status, this.theia.container.get(AgentChanges).turns, around, empty);
    return widget;
  }

  protected async attach(surface: string, widget: Widget): Promise<void> {
    this.#widgets.push(widget);
    // Theia's scroll bars measure what is on a screen.
    Object.assign(widget, { scrollOptions: undefined });
    Widget.attach(widget, document.body);
    widget.update();
    await expect.poll(() => wordsOf(widget.node).length).toBeGreaterThan(5);
    this.pages.push(widget.node);
    this.note(surface, ...wordsOf(widget.node).flatMap((text) => text.split("\n")));
  }

  protected async dialogOf(open: () => void): Promise<readonly string[]> {
    const known = new Set(document.querySelectorAll(".dialogBlock"));
    open();
    const fresh = (): Element | undefined =>
      Array.from(document.querySelectorAll(".dialogBlock")).find((block) => !known.has(block));
    await expect.poll(fresh).toBeDefined();
    const block = fresh();
    if (block === undefined) return [];
    this.pages.push(block);
    return wordsOf(block);
  }
}

const engine = markdownit({ html: false });
const parser = new LabelParser();
const isWithIcons = new Set(["status", "lists"]);

let window: ShowingWindow | undefined;

afterEach(() => {
  window?.dispose();
  window = undefined;
});

describe("every surface of the edition", () => {
  it.each(hostileNames)("shows a name as it is and makes nothing of it: %j", async (hostile) => {
    const name = hostile.replaceAll("/", "∕");
    window = new ShowingWindow(name);
    await window.showAll();
    const { shown, pages } = window;
    for (const [surface, texts] of shown) {
      for (const text of texts) {
        expect([surface, text, unseenIn(text.replaceAll("\u2060", ""))]).toEqual([surface, text, []]);
        // A screen is no wider than that, and a name of a megabyte would hold the window up.
        expect([surface, text.length < 20_000]).toEqual([surface, true]);
        if (surface === "messages") expect(engine.renderInline(text)).not.toMatch(/<\/?[a-z]/u);
        const icons = isWithIcons.has(surface) ? parser.parse(text).filter((part) => typeof part !== "string") : [];
        expect([surface, text, icons]).toEqual([surface, text, []]);
      }
    }
    for (const page of pages) expect(page.querySelectorAll("a, img, b, em, strong, code, h3, script")).toHaveLength(0);
    const least = { messages: 8, tabs: 5, lists: 12, inputs: 3, status: 2, dialogs: 8, rows: 20, diagnosis: 5 };
    for (const [surface, count] of Object.entries(least)) {
      expect([surface, (shown.get(surface)?.length ?? 0) >= count]).toEqual([surface, true]);
    }
  });
});
