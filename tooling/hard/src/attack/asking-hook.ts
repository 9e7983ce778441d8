import process from "node:process";
import { agentOf } from "@patchbay/core";
import { findCompanions, runHook, thisMachine } from "@patchbay/core/hook";

// A hook of Gemini CLI's that is asked again and again, as an agent at work asks it: `asking-hook.ts <folder> <times>`.
const [folder = "", times = ""] = process.argv.slice(2);
const dialect = agentOf("gemini");
const event = JSON.stringify({
  hook_event_name: "BeforeTool",
  cwd: folder,
  tool_name: "write_file",
  tool_input: { file_path: `${folder}/a.txt`, content: "what nobody else may read" },
});
let found = 0;
const outputs = new Set<string | undefined>();
for (let round = 0; round < Number(times); round += 1) {
  found += (await findCompanions(thisMachine(), dialect, folder)).length;
  outputs.add(await runHook({ platform: thisMachine(), dialect, event, cwd: folder, limitMs: 2_000 }));
}
process.stdout.write(JSON.stringify({ found, outputs: Array.from(outputs, (output) => output ?? null) }));
