/**
 * The file that Pi loads. It knows nothing but where our program is: whatever is done with Pi's events is in there (`plugin.ts`), and so is
 * renewed with it. The first line is how a later version knows it for ours.
 */
export const extension = `// Patchbay's extension for Pi: you review in your editor what Pi is about to write.
// Written by \`patchbay hook install pi\`, and taken away by \`patchbay hook remove pi\`.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

export default function patchbay(pi) {
  try {
    const program = join(homedir(), ".patchbay", "patchbay-hook.cjs");
    // An earlier one can only be run: loaded here, it would read what you type.
    if (!readFileSync(program, "utf8").includes("attachToAgent")) return;
    createRequire(program)(program).attachToAgent("pi", pi);
  } catch {
    // Pi goes on as if this file were not there.
  }
}
`;
