import { messageOf } from "@patchbay/core";
import type { Review, ReviewQueue } from "../host/review-queue.ts";
import { escapeLine, escapeText } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";
import {
  editInDifftool,
  editInEditor,
  type ExternalEdit,
  type ExternalEditRequest,
  showInPager,
} from "./external-edit.ts";
import { presentReview } from "./present-review.ts";

export interface OutsideOptions {
  readonly queue: Pick<ReviewQueue, "edit" | "hold">;
  readonly screen: Pick<Screen, "print" | "printLines" | "lend" | "columns" | "rows">;
  readonly paint: Paint;
  readonly folder: string;
  readonly difftool: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reviews whose agents will not come back. */
  readonly kept: { has(id: string): boolean };
}

/** Shows all of a change: in the pager where it is longer than the screen. Never rejects. */
export async function showAll(review: Review, options: OutsideOptions): Promise<void> {
  const { screen, paint, folder, environment, kept } = options;
  try {
    const lines = await presentReview(review, {
      paint,
      folder,
      maximumLines: Number.POSITIVE_INFINITY,
      columns: screen.columns,
      isKept: kept.has(review.request.id),
    });
    const text = lines.join("\n");
    const isLong = screen.rows !== undefined && lines.length > screen.rows - 2;
    const isShown =
      isLong &&
      (await screen.lend(async () => {
        return await showInPager(`${text.trimStart()}\n`, environment, folder).then(
          () => true,
          () => false,
        );
      }));
    if (!isShown) screen.printLines(text);
  } catch (error) {
    screen.print(escapeText(messageOf(error)));
  }
}

/** Has a proposal edited in another program, to which the terminal is lent. Never rejects. */
export async function editOutside(review: Review, tool: "editor" | "difftool", options: OutsideOptions): Promise<void> {
  const { queue, screen, folder, environment, difftool } = options;
  const { id, path } = review.request;
  try {
    // What is saved there is made from this text: until then it stays as it is, whatever becomes of the file.
    queue.hold(id);
    const request: ExternalEditRequest = { path, original: review.original, text: review.text, cwd: folder };
    const edit = await screen.lend(async () =>
      tool === "editor" || difftool === undefined
        ? await editInEditor(request, environment)
        : await editInDifftool(request, difftool),
    );
    take(id, edit, request.text, options);
  } catch (error) {
    queue.edit(id, review.text);
    screen.print(escapeText(messageOf(error)));
  }
}

/** What was saved outside becomes the proposal; where that has ended meanwhile, the copy stays for the user. */
function take(id: string, edit: ExternalEdit, before: string, { queue, screen }: OutsideOptions): void {
  if (edit.problem !== undefined) screen.print(escapeText(edit.problem));
  if (queue.edit(id, edit.text) || edit.text === before) return edit.dispose();
  screen.print(`The proposal was closed while you were editing it. What you saved is in ${escapeLine(edit.copy)}`);
}
