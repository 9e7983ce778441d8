import type { Companion, DiffOpening, DiffRequest, DiffViewEvents, HostDiffs, ReviewRequest } from "@patchbay/core";
import type { ReviewReply } from "@patchbay/core/diagnosis";
import { splitByteOrderMark } from "@patchbay/core/texts";

/** Has a change reviewed in an editor that has the folder open; undefined: there is none, or nothing was decided there. */
export type AskEditor = (request: ReviewRequest, signal: AbortSignal) => Promise<ReviewReply | undefined>;

export interface EditorReviewsOptions {
  /** Where each change is shown in any case. */
  readonly pages: HostDiffs;
  readonly ask: AskEditor;
  /** A file as it is on disk; undefined: there is none, or no text. Absent: it is as the change says. */
  readonly fileText?: (path: string) => Promise<string | undefined>;
  /** Whose proposals these are. */
  readonly companion: () => Pick<Companion, "proposals" | "reject"> | undefined;
}

/**
 * Changes stand in the page, and in the editor that has the folder open. Whichever verdict comes first counts; the review in the other
 * place ends with it.
 */
export class EditorReviews implements HostDiffs {
  readonly #options: EditorReviewsOptions;

  constructor(options: EditorReviewsOptions) {
    this.#options = options;
  }

  async open(request: DiffRequest, events: DiffViewEvents): Promise<DiffOpening> {
    const opening = await this.#options.pages.open(request, events);
    if (opening.kind !== "opened") return opening;
    const { view } = opening;
    const ended = new AbortController();
    void this.#ask(request, ended.signal).then(async (reply) => {
      if (reply === undefined || ended.signal.aborted) return;
      if (reply.kind === "accepted") events.accepted(reply.text);
      else if (reply.reason !== undefined) await this.#options.companion()?.reject(request.id, reply.reason);
      else {
        await view.close("rejected");
        events.rejected();
      }
    });
    return {
      ...opening,
      view: {
        ...view,
        close: async (reason) => {
          ended.abort();
          await view.close(reason);
        },
      },
    };
  }

  async #ask(request: DiffRequest, signal: AbortSignal): Promise<ReviewReply | undefined> {
    const { id, agentName, path, proposedText, originalText, draftText, isReadOnly } = request;
    if (await this.#isAhead(request)) return undefined;
    const proposal = this.#options.companion()?.proposals.find((one) => one.id === id);
    const conversation = proposal?.conversationId ?? id;
    const readsReasons = proposal?.readsReasons === true;
    return await this.#options.ask(
      {
        conversation: { id: conversation, agent: "panel", agentName, readsReasons },
        path,
        text: draftText ?? proposedText,
        base: originalText,
        isEditable: isReadOnly !== true,
      },
      signal,
    );
  }

  /** What it is made on was accepted here and is not written yet: the editor knows the file alone, and would take that back. */
  async #isAhead({ path, originalText }: DiffRequest): Promise<boolean> {
    const { fileText } = this.#options;
    if (fileText === undefined) return false;
    const held = await fileText(path).catch(() => undefined);
    return plain(held ?? "") !== plain(originalText);
  }
}

function plain(text: string): string {
  return splitByteOrderMark(text).body.replaceAll("\r\n", "\n");
}
