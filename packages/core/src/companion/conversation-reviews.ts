import type { Review, ReviewRequest } from "../companion.ts";
import type { DiffRegistry } from "../diff/diff-registry.ts";
import type { ProposalOwner } from "../diff/proposal.ts";
import type { Platform, TcpPorts } from "../platform/platform.ts";
import { checkPath } from "../session/path-check.ts";
import { openingFacts, OpensInOrder } from "../session/session-services.ts";

/** No agent's session has such an id: those begin with the name of a dialect and a dot. */
const prefix = "conversation:";

/** So many parents of a process are looked at: wrappers start launchers that start programs. */
const mostParents = 16;

export interface ConversationReviewsOptions {
  readonly platform: Platform;
  readonly diffs: DiffRegistry;
  /** Workspace folders with links resolved. */
  readonly realFolders: () => Promise<readonly string[]>;
}

/** Reviews of what conversations ask for. Nothing is carried to their agents, which are processes of this editor: who asks hears the outcome. */
export class ConversationReviews {
  readonly #options: ConversationReviewsOptions;
  readonly #order: OpensInOrder = new OpensInOrder();

  constructor(options: ConversationReviewsOptions) {
    this.#options = options;
  }

  /** See `Companion.review`. */
  review(request: ReviewRequest): Promise<Review> {
    return this.#order.open(() => this.#open(request));
  }

  /** See `Companion.conversationEnded`. */
  async ended(conversationId: string): Promise<void> {
    await this.#order.after(async () => this.#options.diffs.sessionEnded(prefix + conversationId));
  }

  /**
   * Whether the process at the other end of a connection is one that `isOwn` means, or was started by one. `told`: which one it says
   * that it is, for where the system does not know.
   */
  async isBehind(ports: TcpPorts | undefined, isOwn: (pid: number) => boolean, told?: number): Promise<boolean> {
    const { process } = this.#options.platform;
    let pid = (ports === undefined ? undefined : await process.peerOf?.(ports)) ?? told;
    for (let count = 0; pid !== undefined && pid > 1 && count < mostParents; count += 1) {
      if (isOwn(pid)) return true;
      pid = await process.parentOf(pid);
    }
    return false;
  }

  async #open({ conversation, path, text, base, isEditable }: ReviewRequest): Promise<Review> {
    const { diffs, platform, realFolders } = this.#options;
    const isWindows = platform.process.platform === "win32";
    const checked = await checkPath(path, { files: platform.files, realFolders, isWindows });
    const owner = ownerOf(conversation);
    const input = { path, text, handle: path };
    const taken = isEditable ? await diffs.takeUp(owner, input) : undefined;
    const facts = { ...openingFacts(checked, text), isReadOnly: !isEditable, base, taken };
    const { id, outcome, shown, abandon } = diffs.open(owner, input, facts);
    return {
      id,
      outcome,
      shown,
      // What is kept of it afterwards is the user's, and in the lists.
      accept: async () => diffs.isOpen(id) && (await diffs.accept(id)),
      reject: async () => diffs.isOpen(id) && (await diffs.reject(id)),
      withdraw: abandon,
    };
  }
}

/** Whoever writes the accepted text keeps the byte order mark of the file; the text may be empty. */
function ownerOf({ id, agentName }: ReviewRequest["conversation"]): ProposalOwner {
  return {
    sessionId: prefix + id,
    conversationId: id,
    dialect: "conversation",
    agentName,
    byteOrderMark: "as-proposed",
    emptiedText: "",
    writes: "text",
    outlivesConnection: false,
  };
}
