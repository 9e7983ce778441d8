import { type Disposable, TabInputText, TabInputTextDiff, window } from "vscode";
import {
  type DiffOpening,
  type DiffRequest,
  type DiffViewEvents,
  type HostDiffs,
  type Logger,
  LoadOnce,
  messageOf,
} from "@patchbay/core";
import { loadLater } from "../load-later.ts";
import type { Settings } from "../settings/settings.ts";
import { registerProposalTexts } from "./register-proposal-texts.ts";
import type { Reviews } from "./register-reviews.ts";
import { proposalScheme } from "./schemes.ts";

export interface LazyReviewsOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  /** Resolves when every proposal of an earlier run is back. */
  readonly restored: Promise<void>;
  /** Hands text that has lost its agent to the user. */
  readonly handOver: (text: string, likePath: string) => Promise<void>;
  readonly own: (disposable: Disposable) => void;
}

/** The reviews, whose code is loaded with the first proposal, or when VS Code shows a tab of an earlier run. */
export class LazyReviews implements HostDiffs {
  readonly #options: LazyReviewsOptions;
  readonly #reviews: LoadOnce<Reviews> = new LoadOnce(async () => {
    const { registerReviews } = await loadLater();
    return registerReviews(this.#options);
  });

  constructor(options: LazyReviewsOptions) {
    this.#options = options;
    const { own, restored } = options;
    for (const part of registerProposalTexts(async () => (await this.#reviews.get()).texts)) own(part);
    own(
      window.tabGroups.onDidChangeTabs(({ opened }) => {
        if (opened.some(showsProposal)) void this.#closeStaleTabs();
      }),
    );
    void restored.then(() => {
      if (window.tabGroups.all.some(({ tabs }) => tabs.some(showsProposal))) void this.#closeStaleTabs();
    });
  }

  /** Undefined before the first proposal. */
  get views(): Reviews["views"] | undefined {
    return this.#reviews.loaded?.views;
  }

  async open(request: DiffRequest, events: DiffViewEvents): Promise<DiffOpening> {
    return await (await this.#reviews.get()).views.open(request, events);
  }

  async #closeStaleTabs(): Promise<void> {
    try {
      await (await this.#reviews.get()).closeStaleTabs();
    } catch (error) {
      this.#options.logger.warn("Tabs of an earlier review could not be looked at", { reason: messageOf(error) });
    }
  }
}

function showsProposal({ input }: { readonly input: unknown }): boolean {
  if (input instanceof TabInputTextDiff) return input.modified.scheme === proposalScheme;
  return input instanceof TabInputText && input.uri.scheme === proposalScheme;
}
