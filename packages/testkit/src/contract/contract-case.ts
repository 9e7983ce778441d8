import { strict as assert } from "node:assert";
import { join } from "node:path";
import type { DiffOpening, DiffRequest, DiffView, DiffViewEvents, EditorHost, Position, Range } from "@patchbay/core";

/** A proposal that is shown, from both sides. */
export interface ShownDiff {
  readonly path: string;
  readonly view: DiffView;
  readonly hands: DiffControls;
  readonly record: EventRecord;
}

/** One test of the contract: an editor of its own and short words for what all tests do. */
export class ContractCase {
  readonly controls: EditorHostControls;
  #count = 0;

  constructor(controls: EditorHostControls) {
    this.controls = controls;
  }

  /** A file on disk. */
  async file(name: string, text: string): Promise<string> {
    const path = join(this.controls.folder, name);
    await this.controls.writeDisk(path, text);
    return path;
  }

  /** A file on disk that the user is in. */
  async openedFile(name: string, text: string): Promise<string> {
    const path = await this.file(name, text);
    await this.controls.openFile(path);
    await this.controls.settle();
    return path;
  }

  /** Asks for a view; the request's other fields have plain values. */
  async ask(
    request: Partial<DiffRequest> & Pick<DiffRequest, "path" | "proposedText">,
  ): Promise<{ readonly opening: DiffOpening; readonly hands: DiffControls; readonly record: EventRecord }> {
    this.#count += 1;
    const record = createEventRecord();
    const id = request.id ?? `contract-${this.#count}`;
    const onDisk = (await this.controls.readDisk(request.path)) ?? "";
    const opening = await this.controls.host.diffs.open(
      {
        id,
        agentName: "Contract Agent",
        kind: "change",
        agentPresent: true,
        originalText: onDisk.replace(/^\uFEFF/u, ""),
        unsaved: false,
        standing: "unchanged",
        ...request,
      },
      record.events,
    );
    await this.controls.settle();
    return { opening, hands: this.controls.diff(id), record };
  }

  /** Asks for a view and requires that it is shown. */
  async show(request: Partial<DiffRequest> & Pick<DiffRequest, "path" | "proposedText">): Promise<ShownDiff> {
    const { opening, hands, record } = await this.ask(request);
    if (opening.kind !== "opened") assert.fail("The proposal was not shown.");
    assert.equal(await hands.isShown(), true, "the view is on screen when open() has resolved");
    return { path: request.path, view: opening.view, hands, record };
  }

  /** Requires exactly these verdicts, now that everything has settled. */
  async expectVerdicts(diff: ShownDiff, verdicts: EventRecord["verdicts"]): Promise<void> {
    await this.controls.settle();
    assert.deepEqual(diff.record.verdicts, verdicts);
  }
}

/** Declares a test with an editor of its own, which is ended whatever happens. */
export function declareCase(
  runner: TestRunner,
  create: () => Promise<EditorHostControls>,
  name: string,
  body: (test: ContractCase) => Promise<void>,
): void {
  runner.it(name, async () => {
    const controls = await create();
    try {
      await body(new ContractCase(controls));
    } finally {
      await controls.dispose();
    }
  });
}

/**
 * The user's hands and eyes, which each edition implements in its tests for its own editor (or a stand-in of it), so that
 * one set of tests holds for all. A control resolves when the editor has done its part.
 */
export interface EditorHostControls {
  readonly host: EditorHost;
  /** Absolute path of a workspace folder in which the contract may make files. */
  readonly folder: string;
  /** Puts a file on disk, byte for byte. */
  writeDisk(path: string, text: string): Promise<void>;
  /** What is on disk; undefined where there is no file. */
  readDisk(path: string): Promise<string | undefined>;
  /** Opens a file that is on disk and puts the user into it. */
  openFile(path: string): Promise<void>;
  focusFile(path: string): Promise<void>;
  closeFile(path: string): Promise<void>;
  /** In the focused file. */
  setCursor(position: Position): Promise<void>;
  /** In the focused file; the cursor ends at the end of the range. */
  select(range: Range): Promise<void>;
  /** Replaces the text of an open file without saving it. Absent where the editor never holds unsaved text. */
  makeDirty?(path: string, text: string): Promise<void>;
  /** Puts keyboard focus where an agent's terminal would have it. */
  focusTerminal(): Promise<void>;
  /** Some name of what has keyboard focus: equal means that it has not moved. */
  focusedElement(): Promise<string>;
  /** How many questions that block the user (dialogs, prompts) the editor has asked so far. */
  questionsAsked(): number;
  /** Lets the next `diffs.open` meet an editor that fails. Absent where nothing can fail. */
  failNextOpen?(): void;
  /** The view of a proposal by its id; also after its end, when its hands do nothing. */
  diff(id: string): DiffControls;
  /** Resolves when everything the editor was told, and every event that follows from it, has been handled. */
  settle(): Promise<void>;
  /** Absent where the editor's folders never change. */
  setFolders?(folders: readonly string[]): Promise<void>;
  /** Absent where the editor has no notion of trust. */
  setTrusted?(trusted: boolean): Promise<void>;
  /** The user chooses an action of the next message, or lets it pass. Absent where messages never have buttons. */
  answerNextMessage?(action: string | undefined): void;
  /** The messages that stand on the screen. Absent where the editor cannot take one back. */
  messagesSeen?(): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

export interface DiffControls {
  isShown(): Promise<boolean>;
  leftText(): Promise<string>;
  rightText(): Promise<string>;
  /** The user replaces the whole right side. */
  type(text: string): Promise<void>;
  /** The user takes the last change of the right side back, with the editor's own undo. Absent where a test cannot. */
  undo?(): Promise<void>;
  /** The user accepts in the editor's main way. */
  accept(): Promise<void>;
  /** The user rejects in the editor's main way. */
  reject(): Promise<void>;
  /** The user closes the view without a verdict, and lets go of what was typed where the editor asks. */
  close(): Promise<void>;
  /** The editor's autosave (or a save-all) fires. Absent where there is no such thing. */
  autosave?(): Promise<void>;
}

/** The two functions of a test runner that the contract needs; those of vitest, mocha and node:test fit. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/** What a view reported, in order. */
export interface EventRecord {
  readonly events: DiffViewEvents;
  /** Everything but `edited`: a view ends once. */
  readonly verdicts: readonly Verdict[];
  readonly edits: () => number;
}

type Verdict =
  | { readonly kind: "accepted"; readonly text: string }
  | { readonly kind: "rejected" }
  | { readonly kind: "closed" };

function createEventRecord(): EventRecord {
  const verdicts: Verdict[] = [];
  let edits = 0;
  return {
    verdicts,
    edits: () => edits,
    events: {
      edited: () => {
        edits += 1;
      },
      accepted: (text) => verdicts.push({ kind: "accepted", text }),
      rejected: () => verdicts.push({ kind: "rejected" }),
      closed: () => verdicts.push({ kind: "closed" }),
    },
  };
}
