import { beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/conversation/conversation.ts";
import { type FeedMessage, ViewFeed } from "../../src/conversation/view-feed.ts";
import { applyPatch, type ConversationSnapshot } from "../../src/model/snapshot.ts";
import { type Lab, makeLab } from "./conversation-lab.ts";

/** A view that takes what it is sent when the test lets it. */
class SlowView {
  readonly kinds: string[] = [];
  state: ConversationSnapshot | undefined;
  readonly #arrived: ((isThere: boolean) => void)[] = [];

  send(message: FeedMessage): Promise<boolean> {
    this.kinds.push(message.kind);
    if (message.kind === "snapshot") this.state = message.snapshot;
    else if (this.state !== undefined) this.state = applyPatch(this.state, message.patch);
    return new Promise((resolve) => this.#arrived.push(resolve));
  }

  async take(isThere = true): Promise<void> {
    this.#arrived.shift()?.(isThere);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

let lab: Lab;
let conversation: Conversation;
let view: SlowView;
let feed: ViewFeed;

beforeEach(async () => {
  lab = makeLab();
  conversation = await lab.open();
  view = new SlowView();
  feed = new ViewFeed({ conversation, clock: lab.clock, send: (message) => view.send(message) });
});

const rename = async (title: string): Promise<void> => {
  await conversation.rename(title);
  lab.clock.advance(60);
};

describe("what a view is sent", () => {
  it("is the whole state when it is ready, then patches, one at a time", async () => {
    await rename("one");
    expect(view.kinds).toEqual([]);
    // Not told yet when the view comes.
    await conversation.rename("just now");
    feed.ready();
    await rename("two");
    await rename("three");
    expect(view.kinds).toEqual(["snapshot"]);
    await view.take();
    await view.take();
    await view.take();
    expect(view.kinds).toEqual(["snapshot", "patch", "patch"]);
    expect(view.state).toEqual(conversation.snapshot());
    await conversation.close();
  });

  it("is the whole state again where it is more than a second behind", async () => {
    feed.ready();
    for (let count = 0; count < 30; count += 1) await rename(`title ${count}`);
    await view.take();
    await view.take();
    expect(view.kinds).toEqual(["snapshot", "snapshot"]);
    expect(view.state).toEqual(conversation.snapshot());
    await conversation.close();
  });

  it("goes to the page that is there now, whatever became of the one before", async () => {
    feed.ready();
    feed.ready();
    await view.take(false);
    expect(view.kinds).toEqual(["snapshot", "snapshot"]);
    await view.take();
    await rename("one");
    expect(view.state?.title).toBe("one");
    await conversation.close();
  });

  it("is nothing while it is hidden, and the whole state when it is back", async () => {
    feed.ready();
    await view.take(false);
    await rename("one");
    expect(view.kinds).toEqual(["snapshot"]);
    feed.ready();
    expect(view.kinds).toEqual(["snapshot", "snapshot"]);
    expect(view.state?.title).toBe("one");
    await view.take();
    feed.dispose();
    await rename("two");
    expect(view.kinds).toHaveLength(2);
    await conversation.close();
  });
});
