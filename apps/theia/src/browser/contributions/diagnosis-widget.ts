import { ClipboardService } from "@theia/core/lib/browser/clipboard-service";
import { ReactWidget } from "@theia/core/lib/browser/widgets/react-widget";
import { codicon, type Message } from "@theia/core/lib/browser/widgets/widget";
import { CommandRegistry } from "@theia/core/lib/common/command";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { inject, injectable, postConstruct } from "@theia/core/shared/inversify";
import { createElement, type ReactNode } from "@theia/core/shared/react";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import type { Explanation, FindingLevel } from "@patchbay/core";
import { preferenceNames, preferenceOf } from "../../common/preferences.ts";
import { PatchbayServer } from "../../common/protocol.ts";
import { fileUriOf } from "../documents/selection-text.ts";
import { type DiagnosisGroup, diagnosisGroups, type DiagnosisLink, diagnosisText } from "./diagnosis.ts";
import { diagnosisWidgetId } from "./diagnosis-view.ts";
import { patchbayCommands } from "./patchbay-commands.ts";

/** Comes with the page, which few windows ever show. In the theme's colours. */
const style = `
  .patchbay-diagnosis { overflow: auto; padding: 8px 24px; line-height: 1.5; outline: none; }
  .patchbay-diagnosis h1 { font-size: 1.4em; font-weight: 600; }
  .patchbay-diagnosis h2 { font-size: 1.1em; font-weight: 600; margin: 18px 0 6px; }
  .patchbay-diagnosis ul { list-style: none; padding: 0; margin: 0; max-width: 900px; }
  .patchbay-diagnosis li { display: flex; gap: 8px; padding: 4px 0; user-select: text; }
  .patchbay-diagnosis li > span { flex: 0 0 auto; padding-top: 2px; }
  .patchbay-diagnosis-buttons > button { margin: 0 8px 0 0; }
  .patchbay-diagnosis li button { background: none; border: none; padding: 0 12px 0 0; cursor: pointer; color: var(--theia-textLink-foreground); font: inherit; }
  .patchbay-diagnosis li button:hover { text-decoration: underline; }
  .patchbay-diagnosis li button:disabled { color: var(--theia-disabledForeground); text-decoration: none; cursor: default; }
  .patchbay-diagnosis-advice { color: var(--theia-descriptionForeground); }
  .patchbay-diagnosis details { max-width: 720px; }
  .patchbay-diagnosis summary { cursor: pointer; color: var(--theia-textLink-foreground); }
  .patchbay-diagnosis h3 { font-size: 1em; font-weight: 600; margin: 8px 0 2px; }
  .patchbay-diagnosis p { margin: 4px 0; }
  .patchbay-diagnosis pre { margin: 4px 0 4px 12px; }
  .patchbay-diagnosis-ok { color: var(--theia-terminal-ansiGreen); }
  .patchbay-diagnosis-hint { color: var(--theia-editorInfo-foreground); }
  .patchbay-diagnosis-problem { color: var(--theia-editorError-foreground); }
`;

const icons: Readonly<Record<FindingLevel, string>> = { ok: "pass", hint: "info", problem: "error" };

/** What the backend finds, as a page: by agent, with what can be done about it. */
@injectable()
export class DiagnosisWidget extends ReactWidget {
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(PreferenceService)
  protected readonly preferences: PreferenceService;
  @inject(EditorManager)
  protected readonly editors: EditorManager;
  @inject(CommandRegistry)
  protected readonly commands: CommandRegistry;
  @inject(ClipboardService)
  protected readonly clipboard: ClipboardService;

  protected groups: readonly DiagnosisGroup[] = [];
  /** The whole page, to be pasted somewhere. */
  protected text = "";
  /** By the finding; asked for when the user wants one. */
  protected readonly explanations: Map<string, Explanation> = new Map();

  @postConstruct()
  protected init(): void {
    this.id = diagnosisWidgetId;
    this.title.label = nls.localize("patchbay/diagnosis/file", "Patchbay Diagnosis");
    this.title.iconClass = codicon("pulse");
    this.title.closable = true;
    this.addClass("patchbay-diagnosis");
    this.node.tabIndex = 0;
    void this.check();
  }

  /** Looks again. */
  async check(): Promise<void> {
    const terminalEnvironment = preferenceOf(this.preferences, preferenceNames.terminalEnvironment, true);
    const findings = await this.server.examine(terminalEnvironment);
    this.groups = diagnosisGroups(findings);
    this.text = diagnosisText(findings);
    this.update();
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    this.node.focus();
  }

  protected render(): ReactNode {
    const button = (label: string, run: () => void): ReactNode =>
      createElement("button", { key: label, className: "theia-button secondary", onClick: run }, label);
    const log = patchbayCommands.showLog;
    const buttons = [
      button(nls.localize("patchbay/diagnosis/again", "Check Again"), () => void this.check()),
      button(nls.localize("patchbay/diagnosis/copy", "Copy as Text"), () => void this.clipboard.writeText(this.text)),
      button(log.label ?? log.id, () => void this.commands.executeCommand(log.id)),
    ];
    return createElement(
      "div",
      {},
      createElement("style", {}, style),
      createElement("h1", {}, nls.localize("patchbay/diagnosis/title", "Patchbay: Diagnosis")),
      createElement("div", { className: "patchbay-diagnosis-buttons" }, buttons),
      this.groups.map((group) => this.renderGroup(group)),
    );
  }

  protected renderGroup({ title, lines }: DiagnosisGroup): ReactNode {
    const items = lines.map(({ level, found, advice, links, code }) =>
      createElement(
        "li",
        { key: found },
        createElement("span", { className: `${codicon(icons[level])} patchbay-diagnosis-${level}` }),
        createElement(
          "div",
          {},
          createElement("div", {}, found),
          advice === undefined ? null : createElement("div", { className: "patchbay-diagnosis-advice" }, advice),
          links.length === 0
            ? null
            : createElement(
                "div",
                {},
                links.map((link) => this.renderLink(link)),
              ),
          code === undefined ? null : this.renderExplanation(code),
        ),
      ),
    );
    return createElement("section", { key: title }, createElement("h2", {}, title), createElement("ul", {}, items));
  }

  protected renderLink(link: DiagnosisLink): ReactNode {
    const onClick = (): void => void this.follow(link);
    const isOff = "command" in link && !this.commands.isEnabled(link.command);
    return createElement("button", { key: link.label, onClick, disabled: isOff }, link.label);
  }

  /** Closed until the user opens it, and loaded then. */
  protected renderExplanation(code: string): ReactNode {
    const explanation = this.explanations.get(code);
    const parts = explanation?.parts.map(({ kind, text }, index) => {
      const name = { heading: "h3", text: "p", command: "pre" }[kind];
      return createElement(name, { key: index }, kind === "text" ? withCommands(text) : text);
    });
    return createElement(
      "details",
      { onToggle: () => void this.explain(code) },
      createElement("summary", {}, nls.localize("patchbay/diagnosis/explain", "Explain")),
      parts,
    );
  }

  protected async explain(code: string): Promise<void> {
    if (this.explanations.has(code)) return;
    const explanation = await this.server.explain(code, nls.locale ?? "en");
    if (explanation === undefined) return;
    this.explanations.set(code, explanation);
    this.update();
  }

  protected async follow(link: DiagnosisLink): Promise<void> {
    if ("command" in link) await this.commands.executeCommand(link.command);
    else await this.editors.open(fileUriOf(link.file), { mode: "activate" });
  }
}

/** Commands in a sentence, without their marks. */
function withCommands(text: string): readonly ReactNode[] {
  return text.split("`").map((part, index) => (index % 2 === 0 ? part : createElement("code", { key: index }, part)));
}
