import {
  type OneReviewMessage,
  type PastMessage,
  type PastSides,
  type ReviewInfo,
  reviewMessageSchema,
  type UnwrittenInfo,
} from "../../messages/reviews.ts";

/** What is already written and is looked at. */
export interface ShownPast {
  /** Whose files they are; absent: a tool's one change. */
  readonly turn: string | undefined;
  readonly paths: readonly string[];
  /** By their paths, as far as they came. */
  readonly sides: ReadonlyMap<string, PastSides>;
}

/** The reviews that wait in this page, and the one that is shown, or what of the past is. */
export class ShownReviews {
  readonly #onDidChange: () => void;
  readonly #failed: (message: string) => void;
  #reviews: readonly ReviewInfo[] = [];
  #unwritten: readonly UnwrittenInfo[] = [];
  #id: string | undefined;
  #past: ShownPast | undefined;
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

  get past(): ShownPast | undefined {
    return this.#past;
  }

  show(id: string | undefined): void {
    if (id === this.#id && this.#past === undefined) return;
    this.#past = undefined;
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
    if (data.type === "past" || data.type === "past-sides") return this.#receivePast(data);
    if (data.type === "review" && data.isRevealed) this.show(data.id);
    if (data.id !== this.#id) return;
    if (this.#follower === undefined) this.#early.push(data);
    else this.#follower(data);
  }

  #receivePast(message: PastMessage): void {
    const past = this.#past;
    if (message.type === "past") {
      const { turn, paths, sides } = message;
      this.show(undefined);
      this.#past = { turn, paths, sides: new Map(sides === undefined ? [] : [[sides.path, sides]]) };
    } else if (past !== undefined && past.turn === message.turn) {
      this.#past = { ...past, sides: new Map([...past.sides, [message.sides.path, message.sides]]) };
    } else return;
    this.#onDidChange();
  }
}
