import type { LazyReviewsOptions, Reviews } from "./register-reviews.ts";
import {
  type DiffOpening,
  type DiffRequest,
  type DiffViewEvents,
  type HostDiffs,
  LoadOnce,
  messageOf,
} from "@patchbay/core";
import {
  type Disposable,
  EventEmitter,
  type FileChangeEvent,
  FileChangeType,
  FileSystemError,
  TabInputText,
  TabInputTextDiff,
  type Uri,
  window,
  workspace,
} from "vscode";
import { loadLater } from "../lazy.ts";
import { originalScheme, proposalScheme } from "./proposal-uri.ts";
import type { ProposalTexts } from "./proposal-texts.ts";

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

/**
 * Makes the texts of reviews readable for VS Code from the start, because it may ask for those of restored tabs at once;
 * what answers is loaded when it asks.
 */
export function registerProposalTexts(texts: () => Promise<ProposalTexts>): Disposable[] {
  const changes = new EventEmitter<FileChangeEvent[]>();
  const originalChanges = new EventEmitter<Uri>();
  let following: Disposable | undefined;
  let followingFiles: Disposable | undefined;
  const held = async (): Promise<ProposalTexts["files"]> => {
    const { files: loaded } = await texts();
    followingFiles ??= loaded.onDidChange((uri) => changes.fire([{ type: FileChangeType.Changed, uri }]));
    return loaded;
  };
  const originals = async (): Promise<ProposalTexts["originals"]> => {
    const { originals: loaded } = await texts();
    // Nobody has a left side before asking for it here.
    following ??= loaded.onDidChange((uri) => originalChanges.fire(uri));
    return loaded;
  };
  const refuse = (uri: Uri): never => {
    throw FileSystemError.NoPermissions(uri);
  };
  const files = {
    onDidChangeFile: changes.event,
    watch: () => ({ dispose: () => {} }),
    stat: async (uri: Uri) => await (await held()).stat(uri),
    readFile: async (uri: Uri) => await (await held()).readFile(uri),
    writeFile: async (uri: Uri, content: Uint8Array) => (await held()).writeFile(uri, content),
    readDirectory: () => [],
    createDirectory: refuse,
    delete: refuse,
    rename: refuse,
  };
  return [
    changes,
    originalChanges,
    { dispose: () => following?.dispose() },
    { dispose: () => followingFiles?.dispose() },
    workspace.registerFileSystemProvider(proposalScheme, files, { isCaseSensitive: true }),
    workspace.registerTextDocumentContentProvider(originalScheme, {
      onDidChange: originalChanges.event,
      provideTextDocumentContent: async (uri) => await (await originals()).provideTextDocumentContent(uri),
    }),
  ];
}

/** Says once that the proposals of an earlier run are back. */
export interface Restoration {
  readonly done: Promise<void>;
  finish(): void;
}

export function createRestoration(): Restoration {
  let finish: () => void = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { done, finish: () => finish() };
}
