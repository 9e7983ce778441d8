import type { EditorDriver } from "../editors/editor-driver.ts";
import { withDeadline } from "../support/deadline.ts";
import { createLab, type Lab } from "../support/lab.ts";
import type { Case } from "./cases.ts";
import { takeTurn } from "./one-at-a-time.ts";

/** Longest that an editor may take to start or to end, ms: the first start of a Theia builds it. */
const longestChange = 10 * 60_000;

/** An editor in a lab of its own, for the cases of one editor and agent, until one of them fails. */
export class Stage {
  readonly key: string;
  readonly lab: Lab;
  readonly editor: EditorDriver;
  readonly #giveTurn: () => Promise<void>;

  private constructor(key: string, lab: Lab, editor: EditorDriver, giveTurn: () => Promise<void>) {
    this.key = key;
    this.lab = lab;
    this.editor = editor;
    this.#giveTurn = giveTurn;
  }

  /** Waits for this run's turn on the machine and sets the stage; the editor is not started yet. */
  static async set(one: Case): Promise<Stage> {
    const editor = one.editor.create(one.editor.findPackage());
    const giveTurn = await takeTurn((line) => console.log(line));
    try {
      return new Stage(Stage.keyOf(one), await createLab(), editor, giveTurn);
    } catch (error) {
      await giveTurn();
      throw error;
    }
  }

  /** What cases must have in common to share a stage. */
  static keyOf(one: Case): string {
    return `${one.editor.id}:${one.agent}`;
  }

  async start(): Promise<void> {
    await withDeadline(`starting ${this.editor.displayName}`, longestChange, this.editor.start(this.lab));
  }

  /** Ends everything, whatever of it fails; says what failed. */
  async end(): Promise<void> {
    const steps = [() => this.editor.stop(), () => this.lab.dispose(), () => this.#giveTurn()];
    for (const step of steps) {
      try {
        await withDeadline("ending", 60_000, step());
      } catch (error) {
        console.log(`  (not everything was ended: ${String(error)})`);
      }
    }
  }
}
