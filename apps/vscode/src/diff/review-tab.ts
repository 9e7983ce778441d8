import type { DiffRequest } from "@patchbay/core";
import { commands, type Disposable, type Uri } from "vscode";
import { type DiffPlace, isDiffTab, replaceTab, tabsOfProposal, type TitleFacts, waitForTab } from "./proposal-tabs.ts";
import { originalUri } from "./proposal-uri.ts";
import type { TypingWatch } from "./saving.ts";

export interface ReviewTabOptions {
  readonly request: Pick<DiffRequest, "id" | "path">;
  /** What the tab is called, by how its review stands. */
  readonly title: (facts: TitleFacts) => string;
  /** Where new tabs go; asked each time one is opened. */
  readonly place: () => DiffPlace;
  readonly typing: Pick<TypingWatch, "pause">;
  /** Something failed that nobody waits for. */
  readonly onFailure: (error: unknown) => void;
}

/** How the review of a tab stands. */
export interface StandingReview extends TitleFacts {
  /** Nothing is being decided: it may move into another tab. */
  readonly isOpen: boolean;
}

/** So long what changes a title must last, ms. */
const titlesAfter = 2_000;

/** So long an agent must be away before the title says so, ms: while a window reloads all of them are. */
const goneAfter = 6_000;

/** The tab of a review. VS Code gives a tab its title once, and keeps it as long as both sides of the diff are the same documents. */
export class ReviewTab implements Disposable {
  readonly #options: ReviewTabOptions;
  readonly #review: () => StandingReview;
  readonly #rightUri: Uri;
  #leftUri: Uri;
  /** What the title says of the agent, which may only be away for a moment. */
  #isTitledGone = false;
  #titling: ReturnType<typeof setTimeout> | undefined;

  /** `leftUri`: of a tab that is there already. */
  constructor(
    rightUri: Uri,
    leftUri: Uri | undefined,
    { options, review }: { readonly options: ReviewTabOptions; readonly review: () => StandingReview },
  ) {
    const { id, path } = options.request;
    this.#rightUri = rightUri;
    this.#leftUri = leftUri ?? originalUri(id, path);
    this.#options = options;
    this.#review = review;
  }

  /** The left side: another one for each title. */
  get leftUri(): Uri {
    return this.#leftUri;
  }

  async show(focus: boolean, place: DiffPlace = this.#options.place()): Promise<void> {
    const { id } = this.#options.request;
    const viewColumn = tabsOfProposal(id)[0]?.group.viewColumn ?? place.viewColumn;
    await commands.executeCommand("vscode.diff", this.#leftUri, this.#rightUri, this.#title, {
      preview: false,
      preserveFocus: !focus,
      viewColumn,
      background: place.background && !focus,
    });
    await waitForTab(id);
  }

  /** What the title says has changed. */
  retitleSoon(): void {
    clearTimeout(this.#titling);
    const after = this.#review().agentPresent ? titlesAfter : goneAfter;
    this.#titling = setTimeout(() => this.#retitle().catch(this.#options.onFailure), after);
  }

  dispose(): void {
    clearTimeout(this.#titling);
  }

  get #title(): string {
    const { standing } = this.#review();
    return this.#options.title({ agentPresent: !this.#isTitledGone, standing });
  }

  /** The review moves into a new tab, where the old one was, and stays where it was scrolled to. */
  async #retitle(): Promise<void> {
    // Keys that are pressed while one tab takes the place of another go astray.
    await this.#options.typing.pause();
    this.#isTitledGone = !this.#review().agentPresent;
    const title = this.#title;
    const { id } = this.#options.request;
    const tabs = tabsOfProposal(id);
    const [tab] = tabs;
    if (title === tab?.label || !this.#review().isOpen) return;
    // Of a split each half would have to move.
    if (tab === undefined || tabs.length > 1 || !isDiffTab(tab)) return;
    const left = this.#leftUri;
    this.#leftUri = left.with({ fragment: String(Number(left.fragment) + 1) });
    const place = { viewColumn: tab.group.viewColumn, background: !tab.isActive };
    await replaceTab(tab, { id, uri: this.#rightUri, title }, async () => await this.show(false, place));
  }
}
