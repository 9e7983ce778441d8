import { strict as assert } from "node:assert";
import { join } from "node:path";
import type { DiffOpening, DiffRequest, DiffView } from "@patchbay/core";
import type { DiffControls, EditorHostControls, TestRunner } from "./editor-host-controls.ts";
import { createEventRecord, type EventRecord } from "./event-record.ts";

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
