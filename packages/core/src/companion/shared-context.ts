import type { CompanionSettings } from "../companion.ts";
import { ContextTracker } from "../context/context-tracker.ts";
import { createSharingPolicy, type SharingPolicy } from "../context/sharing-policy.ts";
import type { EditorHost } from "../editor-host.ts";
import type { Platform } from "../platform/platform.ts";
import type { Logger } from "../support/logger.ts";
import { messageOf } from "../support/errors.ts";
import { LoadOnce } from "../support/load-once.ts";

export interface SharedContextOptions {
  readonly host: EditorHost;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly settings: CompanionSettings;
}

/** What agents see of the editor, as far as the user's settings allow. */
export class SharedContext {
  readonly #options: SharedContextOptions;
  readonly #excluded: ExcludedFiles;
  #settings: CompanionSettings;
  #tracker: ContextTracker;

  constructor(options: SharedContextOptions) {
    const { host, platform, logger, settings } = options;
    this.#options = options;
    this.#settings = settings;
    this.#excluded = new ExcludedFiles({ host, platform, logger, onDidRead: () => this.apply() });
    this.#tracker = this.#createTracker();
  }

  /** Follows the editor in this start. */
  get tracker(): ContextTracker {
    return this.#tracker;
  }

  /** Whether agents may know of a file, also while nothing of the editor is shared. */
  mayName(path: string): boolean {
    return this.#policy.mayName(path);
  }

  /** Undefined while the user shares nothing. */
  get reviewPolicies(): { readonly setting: unknown } | undefined {
    return this.#settings.sharing ? { setting: this.#settings.reviews } : undefined;
  }

  get openReviews(): CompanionSettings["openReviews"] {
    return this.#settings.openReviews;
  }

  updateSettings(settings: Partial<CompanionSettings>): void {
    this.#settings = { ...this.#settings, ...settings };
    this.apply();
  }

  /** Has the settings, and what is known of the excluded files by now, take effect. */
  apply(): void {
    this.#tracker.setPolicy(this.#policy, this.#settings.sharing);
  }

  /** A start has failed and what it followed has ended: the next one follows the editor anew. */
  renew(): void {
    this.#tracker = this.#createTracker();
  }

  #createTracker(): ContextTracker {
    const { host, logger, platform } = this.#options;
    return new ContextTracker({ host, logger, clock: platform.clock, policy: this.#policy });
  }

  get #policy(): SharingPolicy {
    const { exclude, shareSelection } = this.#settings;
    return createSharingPolicy({ shareSelection, isExcluded: this.#excluded.test(exclude) });
  }
}

export interface ExcludedFilesOptions {
  readonly host: Pick<EditorHost, "messages">;
  readonly platform: Pick<Platform, "process">;
  readonly logger: Logger;
  /** The patterns that were asked about last have been read. */
  readonly onDidRead: () => void;
}

type Test = (path: string) => boolean;

/**
 * What the user's patterns leave out. What reads them is loaded with the first pattern, which most users never have. Until
 * they are read, and where they cannot be, everything is left out.
 */
class ExcludedFiles {
  readonly #options: ExcludedFilesOptions;
  readonly #reader: LoadOnce<typeof import("../context/exclusions.ts")> = new LoadOnce(
    () => import("../context/exclusions.ts"),
  );
  #current: { readonly key: string; readonly test: Test | undefined } = { key: "", test: undefined };

  constructor(options: ExcludedFilesOptions) {
    this.#options = options;
  }

  /** Whether a path is left out, as far as is known now. */
  test(patterns: readonly string[]): Test {
    if (patterns.every((pattern) => pattern === "")) return none;
    const key = JSON.stringify(patterns);
    if (this.#current.key !== key) {
      this.#current = { key, test: undefined };
      void this.#read(patterns, key);
    }
    return this.#current.test ?? all;
  }

  async #read(patterns: readonly string[], key: string): Promise<void> {
    try {
      const { readExclusions } = await this.#reader.get();
      if (this.#current.key !== key) return;
      const { platform } = this.#options.platform.process;
      const { excludes, unclear } = readExclusions(patterns, platform === "darwin" || platform === "win32");
      this.#current = { key, test: excludes };
      this.#options.onDidRead();
      for (const { pattern: written, reason } of unclear) {
        const pattern = written.replaceAll("\0", "");
        const text = `Nothing is shared with agents, because the exclude pattern "${pattern}" is invalid (${reason}). Correct it in the settings.`;
        await this.#tell("unclear-pattern", text, { pattern, reason });
      }
    } catch (error) {
      // The next look at the settings tries again.
      if (this.#current.key === key) this.#current = { key: "", test: undefined };
      const reason = messageOf(error);
      const text = `Nothing is shared with agents, because the exclude patterns could not be read (${reason}). Correct them in the settings, or restart the editor.`;
      await this.#tell("unread-patterns", text, { reason });
    }
  }

  async #tell(code: string, text: string, values: Readonly<Record<string, string>>): Promise<void> {
    const { host, logger } = this.#options;
    logger.warn("Nothing is shared because of the exclude patterns", values);
    try {
      await host.messages.show({ code, severity: "warning", text, actions: [], values });
    } catch (error) {
      logger.warn("A message could not be shown", { code, reason: messageOf(error) });
    }
  }
}

const none: Test = () => false;
const all: Test = () => true;
