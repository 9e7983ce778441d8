import { pluginFile } from "../plugin.ts";

/** The file that Pi loads. What is done with Pi's events is in `plugin.ts`. */
export const extension: string = pluginFile({
  id: "pi",
  agentName: "Pi",
  kind: "extension",
  body: [
    "export default function patchbay(pi) {",
    "  try {",
    '    const program = join(homedir(), ".patchbay", "patchbay-hook.cjs");',
    "    // An earlier one can only be run: loaded here, it would read what you type.",
    '    if (!readFileSync(program, "utf8").includes("attachToAgent")) return;',
    '    createRequire(program)(program).attachToAgent("pi", pi);',
    "  } catch {",
    "    // Pi goes on as if this file were not there.",
    "  }",
    "}",
  ],
});
