import { ApplicationShell } from "@theia/core/lib/browser/shell/application-shell";
import type { CssStyleCollector, StylingParticipant } from "@theia/core/lib/browser/styling-service";
import { WidgetManager } from "@theia/core/lib/browser/widget-manager";
import type { Widget } from "@theia/core/lib/browser/widgets/widget";
import { inject, injectable } from "@theia/core/shared/inversify";

/** The page as Theia's layout knows it. */
export const diagnosisWidgetId = "patchbay-diagnosis";

/** As much of the page as is known before it is loaded. */
interface DiagnosisPage extends Widget {
  /** Looks again. */
  check(): Promise<void>;
}

/** Shows the page, with what is found now. */
@injectable()
export class DiagnosisView {
  @inject(WidgetManager)
  protected readonly widgets: WidgetManager;
  @inject(ApplicationShell)
  protected readonly shell: ApplicationShell;

  async show(): Promise<void> {
    const widget = await this.widgets.getOrCreateWidget<DiagnosisPage>(diagnosisWidgetId);
    if (widget.isAttached) await widget.check();
    else await this.shell.addWidget(widget, { area: "main" });
    await this.shell.activateWidget(diagnosisWidgetId);
  }
}

/** Makes the page look like Theia's own, in the theme's colours. */
@injectable()
export class DiagnosisStyle implements StylingParticipant {
  registerThemeStyle(_theme: unknown, collector: CssStyleCollector): void {
    collector.addRule(`
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
    `);
  }
}
