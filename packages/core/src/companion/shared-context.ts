import type { CompanionSettings } from "../companion.ts";
import { ContextTracker } from "../context/context-tracker.ts";
import { ExcludedFiles } from "../context/excluded-files.ts";
import { createSharingPolicy, type SharingPolicy } from "../context/sharing-policy.ts";
import type { EditorHost } from "../editor-host.ts";
import type { Platform } from "../platform/platform.ts";
import type { Logger } from "../support/logger.ts";

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
