import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentId, agentOf } from "@patchbay/core";
import { placesOf, recordsOf } from "../agents/records.ts";
import { nodeBinary } from "../prerequisites/components.ts";
import type { Lab } from "../support/lab.ts";
import { poll } from "../support/poll.ts";
import { quote } from "../terminals/tmux.ts";
import { everyAgent } from "../agents/index.ts";
import { mustEqual, type Scenario, type World } from "./scenario.ts";

/**
 * The doctor, in a terminal of the editor, says of the agent what the agent says of itself; and records that a cleaner
 * took away with their directories are back within five seconds, although nobody touches the editor.
 */
export const doctor: Scenario = {
  name: "doctor",
  agents: everyAgent,
  run: async (world, id) => {
    const { agent } = await world.startAgent(id);
    await agent.waitForConnection();
    const wanted = `✓ ${agent.kind.displayName} connects to ${world.editor.displayName} (port `;
    await mustSay(world, id, wanted);
    const before = await recordsOf(world.lab, id);
    for (const directory of cleanedOf(world.lab, id)) await rm(directory, { recursive: true });
    const began = performance.now();
    await poll("the records", async () => (await recordsOf(world.lab, id)).join() === before.join(), {
      timeout: 5_000,
    });
    world.note("records back", performance.now() - began);
    await mustSay(world, id, wanted);
  },
};

async function mustSay(world: World, id: AgentId, wanted: string): Promise<void> {
  const { root } = world.lab;
  const [script, report] = [join(root, "run-doctor"), join(root, "doctor.txt")];
  const main = fileURLToPath(new URL("../../../../packages/cli/src/main.ts", import.meta.url));
  const command = [nodeBinary(), "--conditions=@patchbay/source", "--no-warnings", main, "doctor", "--agent", id];
  // A container's own mark is not the doctor's subject here: the terminal has what the editor put into it.
  const line = `${command.map(quote).join(" ")} > ${quote(report)} 2>&1; echo end >> ${quote(report)}`;
  // The agent lies on the path, as it does with whoever has installed it.
  const onPath = join(root, "on-path");
  await mkdir(onPath, { recursive: true });
  const program = join(onPath, agentOf(id).program.command);
  await rm(program, { force: true });
  await symlink(join(root, `run-${id}`), program);
  await writeFile(script, `#!/bin/sh\nPATH=${quote(onPath)}:$PATH\n${line}\n`);
  await chmod(script, 0o700);
  await rm(report, { force: true });
  const terminal = await world.editor.openTerminal();
  await terminal.type(script);
  await terminal.press("Enter");
  const text = await poll(
    "the doctor's report",
    async () => {
      const said = await readFile(report, "utf8").catch(() => "");
      return said.endsWith("end\n") ? said : undefined;
    },
    { timeout: 30_000, describe: () => terminal.screen() },
  );
  const said = text.split("\n").find((each) => each.startsWith("✓ ")) ?? text;
  mustEqual("what the doctor says", said.slice(0, wanted.length), wanted);
}

/** What a cleaner takes away: of the temporary directory all that is ours, of the home the records' own directory. */
function cleanedOf(lab: Lab, id: AgentId): readonly string[] {
  return placesOf(lab, id).map(({ root, directories }) =>
    join(root, ...(root === lab.temporary ? directories.slice(0, 1) : directories)),
  );
}
