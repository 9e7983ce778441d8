import type { EditorDriver } from "../editors/editor-driver.ts";
import { withDeadline } from "../support/deadline.ts";
import { createLab, type Lab } from "../support/lab.ts";
import type { Case } from "./cases.ts";

/** Longest that an editor may take to start or to end, ms: the first start of a Theia builds it. */
const longestChange = 10 * 60_000;

/** An editor in a lab of its own, for the cases of one editor and agent, until one of them fails. */
export class Stage {
  readonly key: string;
  readonly lab: Lab;
  readonly editor: EditorDriver;

  private constructor(key: string, lab: Lab, editor: EditorDriver) {
    this.key = key;
    this.lab = lab;
    this.editor = editor;
  }

  /** Sets the stage; the editor is not started yet. */
  static async set(one: Case): Promise<Stage> {
    const editor = one.editor.create(one.editor.findPackage());
    return new Stage(Stage.keyOf(one), await createLab(), editor);
  }

  /** What cases must have in common to share a stage. */
  static keyOf(one: Case): string {
    return `${one.editor.id}:${one.agent}`;
  }

  async start(): Promise<void> {
    await withDeadline(`starting ${this.editor.displayName}`, longestChange, this.editor.start(this.lab));
  }

  /** Ends everything, whatever of it fails; returns what failed, a line for each. */
  async end(): Promise<readonly string[]> {
    const troubles: string[] = [];
    for (const step of [() => this.editor.stop(), () => this.lab.dispose()]) {
      try {
        await withDeadline("ending", 60_000, step());
      } catch (error) {
        troubles.push(`  (not everything was ended: ${String(error)})`);
      }
    }
    return troubles;
  }
}
