import { Emitter } from "@theia/core/lib/common/event";
import { type Resource, ResourceError, type ResourceResolver } from "@theia/core/lib/common/resource";
import type { URI } from "@theia/core/lib/common/uri";
import { injectable } from "@theia/core/shared/inversify";
import type { ShownChange } from "../../common/panel-protocol.ts";
import { fileUriOf } from "../documents/selection-text.ts";

// What a window knows of the panel before it is opened: the rest of this room is loaded with the first page.

/** The view as Theia's layout knows it. */
export const panelWidgetId = "patchbay-conversations";

/** Tabs in the main area are of this kind. */
export const panelTabId = "patchbay-conversation";

/** True where the keys go to a page of the panel. */
export const panelFocusKey = "patchbayPanelFocus";

/** What Theia's layout keeps of a tab; the view has nothing of it. */
export interface PanelTab {
  /** Names one of several. */
  readonly tab?: string;
  /** What it begins with. */
  readonly conversation?: string;
}

const changeScheme = "patchbay-theia-change";

interface ShownText {
  text: string;
  readonly changed: Emitter<void>;
}

/** Changes of conversations as documents that nobody can type into, as long as their editors are open. */
@injectable()
export class PanelChanges implements ResourceResolver {
  readonly priority: number = 100;
  protected readonly texts: Map<string, ShownText> = new Map();
  protected count = 0;

  /** Both sides of a change. The path stays: the language comes from its ending. */
  add({ path, before, after }: ShownChange): readonly [URI, URI] {
    return [this.addText(path, before ?? "", "before"), this.addText(path, after ?? "", "after")];
  }

  /** A text of a file. `side` tells it from others of the same file. */
  addText(path: string, text: string, side: string): URI {
    this.count += 1;
    const uri = fileUriOf(path).withScheme(changeScheme).withQuery(`${side}-${this.count}`);
    this.texts.set(uri.toString(), { text, changed: new Emitter() });
    return uri;
  }

  /** Gives a document another text. False: nobody shows it any more. */
  setText(uri: string, text: string): boolean {
    const shown = this.texts.get(uri);
    if (shown === undefined) return false;
    const isSame = shown.text === text;
    shown.text = text;
    if (!isSame) shown.changed.fire();
    return true;
  }

  resolve(uri: URI): Resource {
    if (uri.scheme !== changeScheme) throw new Error(`${uri.scheme} is not ours`);
    const shown = this.texts.get(uri.toString());
    if (shown === undefined)
      throw ResourceError.NotFound({ message: "The change is not shown any more.", data: { uri } });
    return {
      uri,
      readOnly: true,
      autosaveable: false,
      onDidChangeContents: shown.changed.event,
      readContents: () => Promise.resolve(shown.text),
      dispose: () => {
        this.texts.delete(uri.toString());
        shown.changed.dispose();
      },
    };
  }
}
