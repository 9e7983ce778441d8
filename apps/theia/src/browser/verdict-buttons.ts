import type { CssStyleCollector, StylingParticipant } from "@theia/core/lib/browser/styling-service";
import { injectable } from "@theia/core/shared/inversify";
import { patchbayCommands } from "./patchbay-commands.ts";

/** Makes the two words of a review look like the buttons they are, in the theme's own colours. */
@injectable()
export class VerdictButtons implements StylingParticipant {
  registerThemeStyle(_theme: unknown, collector: CssStyleCollector): void {
    const accept = [patchbayCommands.accept, patchbayCommands.saveKept].map(({ id }) => buttonSelector(id)).join(", ");
    const reject = [patchbayCommands.reject, patchbayCommands.copyKept, patchbayCommands.discardKept]
      .map(({ id }) => buttonSelector(id))
      .join(", ");
    const hovered = (selector: string): string => selector.replaceAll("]", "]:hover");
    const shape = "width: auto; height: 20px; line-height: 20px; padding: 0 10px; border-radius: 3px;";
    collector.addRule(`
      ${accept}, ${reject} { ${shape} }
      ${accept} { background: var(--theia-button-background); color: var(--theia-button-foreground); }
      ${hovered(accept)} { background: var(--theia-button-hoverBackground); }
      ${reject} { background: var(--theia-secondaryButton-background); color: var(--theia-secondaryButton-foreground); }
      ${besideTheActive}:has([id="${patchbayCommands.accept.id}"], [id="${patchbayCommands.saveKept.id}"]) { display: flex; }
      ${hovered(reject)} { background: var(--theia-secondaryButton-hoverBackground); }
    `);
  }
}

/** Theia hides the toolbars of all groups of editors but the one that has the keys; a proposal beside it must show its buttons. */
const besideTheActive = "#theia-main-content-panel .lm-TabBar:not(.theia-tabBar-active) .lm-TabBar-toolbar";

function buttonSelector(id: string): string {
  return `.lm-TabBar-toolbar .item > .action-label[id="${id}"]`;
}
