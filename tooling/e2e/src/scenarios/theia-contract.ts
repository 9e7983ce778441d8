import type { editorHostContract as EditorHostContract } from "@patchbay/testkit";
import { PageWindow } from "../editors/theia/page-window.ts";
import { TheiaDriver } from "../editors/theia/theia.ts";
import type { Scenario } from "./scenario.ts";

/** The contract of an editor host, kept by Theia's real frontend in its real page. */
export const theiaContract: Scenario = {
  name: "contract",
  agents: "all",
  isFor: (editor) => editor instanceof TheiaDriver,
  run: async (world) => {
    const theia = world.editor;
    if (!(theia instanceof TheiaDriver)) throw new Error("this scenario is about Theia");
    // Only here: they bring in the backend's own sources and the built core, which the other scenarios do without.
    const { createContractControls } = await import("../editors/theia/contract-controls.ts");
    const { editorHostContract } = await import("@patchbay/testkit");
    const terminal = await theia.openTerminal();
    const window = new PageWindow(theia.workbench.page);
    await window.install();
    const stage = { workbench: theia.workbench, window, terminal, workspace: world.lab.workspace };
    const failures: string[] = [];
    const tests = collectTests((runner) => editorHostContract({ runner, create: () => createContractControls(stage) }));
    for (const { name, body } of tests) {
      await inTime(body()).catch((error: unknown) => failures.push(`${name}: ${String(error)}`));
    }
    if (tests.length === 0) throw new Error("the contract has no tests");
    // The page has lost its own backend: what comes next needs another.
    await theia.replaceWindow(world.lab.workspace);
    if (failures.length > 0) throw new Error(`the contract is broken\n${failures.join("\n")}`);
  },
};

/** Longest time for one test, milliseconds: a promise that is never kept must not hold up the suite. */
const patience = 30_000;

async function inTime(test: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${patience} ms`)), patience);
  });
  try {
    await Promise.race([test, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface ContractTest {
  readonly name: string;
  readonly body: () => Promise<void>;
}

type ContractRunner = Parameters<typeof EditorHostContract>[0]["runner"];

function collectTests(declare: (runner: ContractRunner) => void): readonly ContractTest[] {
  const tests: ContractTest[] = [];
  const groups: string[] = [];
  const describe = (group: string, body: () => void): void => {
    groups.push(group);
    body();
    groups.pop();
  };
  const it = (test: string, body: () => Promise<void>): void => {
    tests.push({ name: [...groups, test].join(" › "), body });
  };
  declare({ describe, it });
  return tests;
}
