import { OutputChannelManager } from "@theia/output/lib/browser/output-channel";
import { inject, injectable } from "@theia/core/shared/inversify";

/** The backend's log in Theia's output view. */
@injectable()
export class LogView {
  @inject(OutputChannelManager)
  protected readonly channels: OutputChannelManager;

  append(lines: readonly string[]): void {
    const channel = this.channels.getChannel("Patchbay");
    for (const line of lines) channel.appendLine(line);
  }

  show(): void {
    this.channels.getChannel("Patchbay").show({ preserveFocus: false });
  }
}
