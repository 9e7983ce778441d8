import { ApplicationShell } from "@theia/core/lib/browser/shell/application-shell";
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
