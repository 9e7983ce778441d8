import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { installedProgram, oldQwenCode, recordReadingQwenCode } from "../prerequisites/components.ts";
import type { Component } from "../prerequisites/cache.ts";
import { all, ideOff, inFolder, inHome, level, qwenSettings, type Situation, type Step, variable } from "./place.ts";

type Outcome = Pick<Situation, "does" | "says">;
const connects: Outcome = { does: "connects", says: "connects" };
const isOff: Outcome = { does: "stays away", says: "editor-mode-off" };
const isElsewhere: Outcome = { does: "stays away", says: "variable-differs" };
const ends: Outcome = { does: "ends", says: "settings-not-json" };

const off: Step = inFolder(".qwen/settings.json", ideOff);
const asking: Step = inHome(".qwen/settings.json", qwenSettings({ asksForTrust: true }));
const home = "QWEN_HOME=~/elsewhere\n";
/** A line that names a file of settings by which it looks for no editor. */
const settings = inHome("off.json", ideOff);
const naming =
  (name: string) =>
  (place: { readonly home: string }): string =>
    `${name}=${join(place.home, "off.json")}\n`;
const administrators = naming("QWEN_CODE_SYSTEM_SETTINGS_PATH");

/** Another version, as npm installs it: the program on the PATH is a link into its package. */
function version(component: Component): Step {
  return ({ bin }) => {
    rmSync(join(bin, "qwen"));
    symlinkSync(installedProgram(component, "qwen"), join(bin, "qwen"));
  };
}

const rows: readonly (readonly [title: string, make: Step | undefined, outcome: Outcome])[] = [
  ["all is well", undefined, connects],
  ["off by the folder", off, isOff],
  [
    "off by a folder that is not trusted, with trust on",
    all(asking, inHome(".qwen/trustedFolders.json", level("DO_NOT_TRUST")), off),
    connects,
  ],
  ["no JSON", inHome(".qwen/settings.json", "nonsense"), ends],
  ["no JSON in the folder, put aside", inFolder(".qwen/settings.json", `${ideOff.slice(0, -1)}, }`), connects],
  ["a list in the folder's settings", inFolder(".qwen/settings.json", "[]"), ends],
  ["QWEN_HOME in the .env of its own directory", inHome(".qwen/.env", home), isElsewhere],
  ["QWEN_HOME in the .env of the home", inHome(".env", home), isElsewhere],
  ["QWEN_HOME in the .env of the folder", inFolder(".env", home), connects],
  ["QWEN_HOME in the .env of the folder's own directory", inFolder(".qwen/.env", home), connects],
  [
    "QWEN_HOME in a .env and another one in the terminal",
    all(
      inHome(".env", home),
      variable("QWEN_HOME", (place) => join(place.home, ".qwen")),
    ),
    connects,
  ],
  ["QWEN_HOME in a .env, and empty in the terminal", all(inHome(".env", home), variable("QWEN_HOME", "")), isElsewhere],
  [
    "off by the administrator's settings, which a .env names",
    all(settings, inHome(".qwen/.env", administrators)),
    isOff,
  ],
  ["the same in the .env of the home", all(settings, inHome(".env", administrators)), isOff],
  ["the same in the .env of the folder", all(settings, inFolder(".env", administrators)), connects],
  [
    "the same where it does not start itself anew",
    all(settings, inHome(".qwen/.env", administrators), variable("QWEN_CODE_NO_RELAUNCH", "true")),
    connects,
  ],
  [
    "off by the defaults, which a .env names",
    all(
      settings,
      inHome(".qwen/settings.json", qwenSettings({ more: {} })),
      inHome(".qwen/.env", naming("QWEN_CODE_SYSTEM_DEFAULTS_PATH")),
    ),
    isOff,
  ],
  [
    "off by a folder that is trusted by a list which a .env names",
    all(
      asking,
      inHome("trusted.json", level("TRUST_FOLDER")),
      inHome(".env", (place) => `QWEN_CODE_TRUSTED_FOLDERS_PATH=${join(place.home, "trusted.json")}\n`),
      off,
    ),
    isOff,
  ],
  [
    "a program in place of an editor in the .env of the folder",
    inFolder(".env", "QWEN_CODE_IDE_SERVER_STDIO_COMMAND=/bin/false\n"),
    { does: "connects", says: "program-in-place-of-editor" },
  ],
  ["too old", version(oldQwenCode), { does: "stays away", says: "agent-too-old" }],
  ["old, and it reads the records", version(recordReadingQwenCode), connects],
];

/** Whether Qwen Code looks for an editor, and where: its settings and its `.env` files. */
export const qwenSituations: readonly Situation[] = rows.map(([title, make, outcome]) => ({
  title: `qwen: ${title}`,
  agent: "qwen",
  ...(make === undefined ? {} : { make }),
  ...outcome,
}));
