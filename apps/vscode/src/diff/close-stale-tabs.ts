import { type Logger, messageOf } from "@patchbay/core";
import { closeStaleTab } from "./close-stale-tab.ts";
import { allProposalTabs, proposalIdOfTab } from "./proposal-tabs.ts";

export interface StaleTabsOptions {
  readonly restored: Promise<void>;
  readonly isOpen: (id: string) => boolean;
  readonly handOver: (text: string, likePath: string) => Promise<void>;
  readonly logger: Logger;
}

/**
 * Closes tabs that no proposal claims: those of an earlier run, and those that "Reopen Closed Editor" brings back. One
 * call after the other, because each looks anew at what there is.
 */
export function createStaleTabs({ restored, isOpen, handOver, logger }: StaleTabsOptions): () => Promise<void> {
  let sweeping = Promise.resolve();
  const sweep = async (): Promise<void> => {
    await restored;
    for (const tab of allProposalTabs()) {
      if (!isOpen(proposalIdOfTab(tab) ?? "")) await closeStaleTab(tab, handOver);
    }
  };
  return async () => {
    sweeping = sweeping
      .then(sweep)
      .catch((error: unknown) =>
        logger.warn("A tab of an earlier review could not be closed", { reason: messageOf(error) }),
      );
    await sweeping;
  };
}
