import {
  type ReviewInfo,
  type ReviewMessage,
  reviewMessageSchema,
  type UnwrittenInfo,
} from "../../messages/reviews.ts";

export type OneReviewMessage = Exclude<ReviewMessage, { readonly type: "reviews" }>;

/** The reviews that wait in this page, and the one that is shown. */
export class ShownReviews {
  readonly #onDidChange: () => void;
  readonly #failed: (message: string) => void;
  #reviews: readonly ReviewInfo[] = [];
  #unwritten: readonly UnwrittenInfo[] = [];
  #id: string | undefined;
  #follower: ((message: OneReviewMessage) => void) | undefined;
  /** What was said of the shown one before anybody followed it. */
  #early: OneReviewMessage[] = [];

  constructor(onDidChange: () => void, failed: (message: string) => void) {
    this.#onDidChange = onDidChange;
    this.#failed = failed;
  }

  get reviews(): readonly ReviewInfo[] {
    return this.#reviews;
  }

  /** What was accepted and is not written. */
  get unwritten(): readonly UnwrittenInfo[] {
    return this.#unwritten;
  }

  get id(): string | undefined {
    return this.#id;
  }

  show(id: string | undefined): void {
    if (id === this.#id) return;
    this.#id = id;
    this.#early = [];
    this.#onDidChange();
  }

  /** Calls back with what is said of the shown review, from what was said first on. Gives what ends that. */
  follow(follower: (message: OneReviewMessage) => void): () => void {
    this.#follower = follower;
    for (const message of this.#early.splice(0)) follower(message);
    return () => {
      if (this.#follower === follower) this.#follower = undefined;
    };
  }

  receive(about: unknown): void {
    const parsed = reviewMessageSchema.safeParse(about);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return this.#failed(`A message about a review could not be read: ${issue?.path.join(".")}: ${issue?.code}`);
    }
    const { data } = parsed;
    if (data.type === "reviews") {
      this.#reviews = data.reviews;
      this.#unwritten = data.unwritten;
      return this.#onDidChange();
    }
    if (data.type === "review" && data.isRevealed) this.show(data.id);
    if (data.id !== this.#id) return;
    if (this.#follower === undefined) this.#early.push(data);
    else this.#follower(data);
  }
}
