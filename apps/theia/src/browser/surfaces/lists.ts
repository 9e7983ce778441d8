import { QuickInputService } from "@theia/core/lib/browser/quick-input/quick-input-service";
import type { QuickPickItem } from "@theia/core/lib/common/quick-pick-service";
import { inject, injectable } from "@theia/core/shared/inversify";
import { labelText } from "./texts.ts";

export interface ListItem {
  /** Name of an icon. */
  readonly icon?: string;
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

/** The only place that shows lists to choose from, so that no text comes to a person as it is. */
@injectable()
export class Lists {
  @inject(QuickInputService)
  protected readonly quickInput: QuickInputService;

  /** The item chosen; undefined where the list was left. */
  async choose<T extends ListItem>(
    items: readonly T[],
    placeholder: string,
    { staysOpen = false }: { readonly staysOpen?: boolean } = {},
  ): Promise<T | undefined> {
    const shown = items.map((item) => ({ ...shownItem(item), item }));
    return (
      await this.quickInput.showQuickPick(shown, { placeholder: labelText(placeholder), ignoreFocusOut: staysOpen })
    )?.item;
  }

  /** A line that may stay empty; undefined where the user thinks better of it. It stays while they look at what it is about. */
  async ask({ placeholder, prompt, value }: Question): Promise<string | undefined> {
    const options = {
      ...(value === undefined ? {} : { value }),
      placeHolder: labelText(placeholder),
      prompt: labelText(prompt),
      ignoreFocusLost: true,
    };
    return await this.quickInput.input(options);
  }
}

export interface Question {
  readonly placeholder: string;
  readonly prompt: string;
  /** What stands there already. */
  readonly value?: string;
}

/** An item as Theia gets it. */
export function shownItem({ icon, label, description, detail }: ListItem): QuickPickItem {
  return {
    label: icon === undefined ? labelText(label) : `$(${icon}) ${labelText(label)}`,
    ...(description === undefined ? {} : { description: labelText(description) }),
    ...(detail === undefined ? {} : { detail: labelText(detail) }),
  };
}
