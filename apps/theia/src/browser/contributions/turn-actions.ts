import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import { inject, injectable, postConstruct } from "@theia/core/shared/inversify";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import type { UndoRequest } from "@patchbay/turns";
import { type LinesPlace, type ListedTurn, PatchbayServer, type TurnUndone } from "../../common/protocol.ts";
import { fileUriOf } from "../documents/selection-text.ts";
import { PanelChanges } from "../panel/panel-places.ts";
import { Lists } from "../surfaces/lists.ts";
import { type Notice, Notices } from "../surfaces/notices.ts";
import { type FilePlace, TurnDiffs } from "./turn-diffs.ts";

/** What can be done with a turn, or with one file of it. */
export type TurnAction = "open" | "keep" | "undo";

/** An undo that waits until an agent has finished. */
interface WaitingUndo {
  readonly turn: ListedTurn;
  readonly request: UndoRequest;
}

/** Whether to do now what waits. */
interface Question {
  readonly notice: Notice;
  readonly waiting: readonly WaitingUndo[];
}

/** What the user wants of turns: shown, kept, undone, brought back. */
@injectable()
export class TurnActions {
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(PanelChanges)
  protected readonly texts: PanelChanges;
  @inject(EditorManager)
  protected readonly editors: EditorManager;
  @inject(Lists)
  protected readonly lists: Lists;
  @inject(Notices)
  protected readonly notices: Notices;

  /** By their texts. Withdrawn when nothing waits of what they are about. */
  protected readonly asking: Map<string, Question> = new Map();

  /** Files of turns in editors. */
  diffs: TurnDiffs;

  @postConstruct()
  protected init(): void {
    this.diffs = new TurnDiffs(this.server, this.texts, this.editors);
  }

  async act(action: TurnAction, turn: ListedTurn, path: string | undefined): Promise<void> {
    if (action === "keep") await this.server.keepTurn(turn.id, path);
    else if (action === "undo") await this.undo([turn], path === undefined ? {} : { path });
    else {
      // Of a turn its first file; from there the keys go on.
      const file = turn.files.find((one) => path === undefined || one.path === path);
      if (file !== undefined) await this.diffs.open(turn, file);
    }
  }

  async bringBack(): Promise<void> {
    const done = await this.server.bringBack();
    if (done === undefined)
      this.notices.info(nls.localize("patchbay/turns/nothingBack", "There is nothing to bring back."));
    else this.tell([done]);
  }

  /** Takes questions back about what waits for nothing in this list. */
  withdrawAnswered(listed: readonly ListedTurn[]): void {
    // An undo also waits for a later turn of its session, or for another agent on the same file.
    const isWaiting = (id: string): boolean =>
      listed.some((turn) => turn.id === id && turn.files.some(({ review }) => review === "queued"));
    for (const [text, { notice, waiting }] of this.asking) {
      if (waiting.some(({ turn }) => isWaiting(turn.id))) continue;
      notice.withdraw();
      this.asking.delete(text);
    }
  }

  async undoWithReason(turn: ListedTurn): Promise<void> {
    const given = await this.lists.ask({
      placeholder: nls.localize("patchbay/reason/why", "Why? (optional)"),
      prompt: nls.localize(
        "patchbay/turns/reason",
        "Undoes what {0} did. An agent with a hook reads your text along with your next prompt.",
        turn.agents.join(", "),
      ),
    });
    if (given === undefined) return;
    await this.undo([turn], given.trim() === "" ? {} : { reason: given.trim() });
  }

  /** What is undecided of a session, the newest turn first: an older one is what the newer one began with. */
  async undoSession(listed: readonly ListedTurn[]): Promise<void> {
    const sessions = new Map<string, readonly ListedTurn[]>();
    for (const turn of listed) {
      const key = `${turn.agent} ${turn.session}`;
      sessions.set(key, [...(sessions.get(key) ?? []), turn]);
    }
    const items = Array.from(sessions.values(), (turns) => ({
      label: Array.from(new Set(turns.flatMap(({ agents }) => agents))).join(", "),
      description:
        turns.length === 1
          ? nls.localize("patchbay/turns/oneTurn", "1 turn")
          : nls.localize("patchbay/turns/manyTurns", "{0} turns", turns.length),
      detail: turns.map(({ prompt }) => prompt).findLast((prompt) => prompt !== "") ?? "",
      turns,
    }));
    // Also where there is only one: to choose it is to say yes.
    const question = nls.localize("patchbay/turns/whichSession", "Undo the changes of which session?");
    const chosen = await this.lists.choose(items, question);
    if (chosen !== undefined) await this.undo(chosen.turns, {});
  }

  /** Keeps or undoes what agents changed in some lines of a file, without the rest of it. */
  async decideLines(verdict: "keep" | "undo", place: LinesPlace, listed: readonly ListedTurn[]): Promise<void> {
    this.diffs.decides();
    const done = await this.server.decideLines(verdict, place);
    if (done === undefined) {
      const words = nls.localize("patchbay/turns/notHere", "No change of an agent waits for review in these lines.");
      this.notices.info(words, { timeout: 5000 });
      return;
    }
    this.answer(
      done.flatMap(({ of, result }) => listed.filter(({ id }) => id === of).map((turn) => ({ turn, result }))),
    );
  }

  /** Keeps or undoes a file that has no single changes, in its editor. */
  async decideFile(verdict: "keep" | "undo", { turn, path }: FilePlace): Promise<void> {
    this.diffs.decides();
    await this.act(verdict, turn, path);
  }

  protected async undo(turns: readonly ListedTurn[], request: UndoRequest): Promise<void> {
    const results: { turn: ListedTurn; result: TurnUndone }[] = [];
    for (const turn of turns) {
      const result = await this.server.undoTurn(turn.id, request);
      if (result !== undefined) results.push({ turn, result });
    }
    this.answer(results);
  }

  /** Says what was done, and asks whether to do now what waits for an agent. */
  protected answer(results: readonly { readonly turn: ListedTurn; readonly result: TurnUndone }[]): void {
    const added: WaitingUndo[] = [];
    const done: TurnUndone[] = [];
    for (const { turn, result } of results) {
      if (result.waiting === undefined) done.push(result);
      else added.push({ turn, request: result.waiting });
    }
    this.tell(done);
    if (added.length === 0) return;
    const now = nls.localize("patchbay/turns/now", "Undo Now");
    const text = nls.localize(
      "patchbay/turns/waits",
      "{0} is working. This is undone when it has finished.",
      Array.from(new Set(added.flatMap(({ turn }) => turn.agents))).join(", "),
    );
    // The message stays until it is answered, and nothing waits for that.
    const notice = this.notices.info(text, { actions: [now] });
    // Theia replaces a notice of the same text: the new one is also about what the old one asked.
    const waiting = [...(this.asking.get(text)?.waiting ?? []), ...added];
    this.asking.set(text, { notice, waiting });
    void this.carryOut(notice, now, async () => {
      const hurried: TurnUndone[] = [];
      for (const one of waiting) {
        const result = await this.server.undoWaitingTurn(one.turn.id, one.request);
        if (result !== undefined) hurried.push(result);
      }
      if (hurried.length > 0) this.tell(hurried);
      else
        this.notices.info(
          nls.localize("patchbay/turns/tooLate", "The agent has finished, and this was carried out already."),
        );
    });
  }

  protected async carryOut({ answer }: Notice, action: string, run: () => Promise<void>): Promise<void> {
    if ((await answer) === action) await run();
  }

  /** Says what was undone, and what was not and why. */
  protected tell(undone: readonly TurnUndone[]): void {
    const files = undone.flatMap((one) => one.files);
    const names = (...outcomes: readonly string[]): string =>
      files
        .filter(({ outcome }) => outcomes.includes(outcome))
        .slice(0, 5)
        .map(({ path }) => fileUriOf(path).path.base)
        .join(", ");
    const conflicts = files.reduce((count, file) => count + file.conflicts, 0);
    const [unknown, failed, unsure] = [names("unknown"), names("failed", "stale"), names("unsure")];
    if (conflicts > 0)
      this.notices.warn(
        nls.localize(
          "patchbay/turns/conflicts",
          "{0} of the changes were changed again since and left alone: {1}",
          conflicts,
          names("partly", "conflict"),
        ),
      );
    if (unknown !== "")
      this.notices.warn(
        nls.localize(
          "patchbay/turns/notKnown",
          "The earlier content of these files is not known, so they stay as they are: {0}",
          unknown,
        ),
      );
    if (failed !== "")
      this.notices.warn(nls.localize("patchbay/turns/failed", "Could not be undone, and stays as it is: {0}", failed));
    if (unsure !== "")
      void this.notices.info(
        nls.localize(
          "patchbay/turns/unsure",
          "These may be your own changes, so they stay. Undo a file by itself if the agent changed it: {0}",
          unsure,
        ),
      );
    const entries = undone.flatMap(({ turn }) => turn ?? []);
    if (entries.length === 0) return;
    const bringBack = nls.localize("patchbay/turns/bringBack", "Bring Back");
    const done = undone.some(({ isTold }) => isTold)
      ? nls.localize("patchbay/turns/told", "Undone. The agent is told with your next prompt.")
      : nls.localize("patchbay/turns/undone", "Undone.");
    void this.carryOut(this.notices.info(done, { actions: [bringBack] }), bringBack, async () => {
      const back: TurnUndone[] = [];
      // The one undone last is where the others stood.
      for (const entry of entries.toReversed()) {
        const result = await this.server.undoTurn(entry, { now: true });
        if (result !== undefined) back.push(result);
      }
      this.tell(back);
    });
  }
}
