import { join } from "node:path";
import { all, ideOff, ideOn, inFolder, inHome, level, quiet, type Situation, type Step, variable } from "./place.ts";

const user = (more: object): string => JSON.stringify({ ...quiet, ...ideOn, ...more });
const untrusting = user({ security: { ...quiet.security, folderTrust: {} } });
const off = inFolder(".gemini/settings.json", ideOff);
const trusts = (trust: string): Step => inHome(".gemini/trustedFolders.json", level(trust));

/** Whether Gemini CLI looks for an editor: its settings, and the folders that its user trusts. */
export const geminiSituations: readonly Situation[] = [
  { title: "gemini: all is well", agent: "gemini", make: trusts("TRUST_FOLDER"), does: "connects", says: "connects" },
  {
    title: "gemini: off by a trusted folder",
    agent: "gemini",
    make: all(trusts("TRUST_FOLDER"), off),
    does: "stays away",
    says: "editor-mode-off",
  },
  {
    title: "gemini: off by a folder that is not trusted",
    agent: "gemini",
    make: all(trusts("DO_NOT_TRUST"), off),
    does: "connects",
    says: "connects",
  },
  {
    title: "gemini: off by a folder of which nobody was asked, with trust on by default",
    agent: "gemini",
    make: all(inHome(".gemini/settings.json", untrusting), off),
    does: "connects",
    says: "connects",
  },
  {
    title: "gemini: off by a folder, and trust is switched off",
    agent: "gemini",
    make: all(
      inHome(".gemini/settings.json", user({ security: { ...quiet.security, folderTrust: { enabled: false } } })),
      off,
    ),
    does: "stays away",
    says: "editor-mode-off",
  },
  {
    title: "gemini: off by a folder below one that is trusted with its parent",
    agent: "gemini",
    make: all(
      ({ home, folder, put }) =>
        put(join(home, ".gemini", "trustedFolders.json"), JSON.stringify({ [join(folder, "x")]: "TRUST_PARENT" })),
      off,
    ),
    does: "stays away",
    says: "editor-mode-off",
  },
  {
    title: "gemini: off by a folder that a variable trusts",
    agent: "gemini",
    make: all(variable("GEMINI_CLI_TRUST_WORKSPACE", "true"), off),
    does: "stays away",
    says: "editor-mode-off",
  },
  {
    title: "gemini: a comma too much",
    agent: "gemini",
    make: inHome(".gemini/settings.json", '{ "ide": { "enabled": true }, }'),
    does: "ends",
    says: "settings-not-json",
  },
  {
    title: "gemini: an empty file of settings in the folder",
    agent: "gemini",
    make: inFolder(".gemini/settings.json", ""),
    does: "ends",
    says: "settings-not-json",
  },
  {
    title: "gemini: a comment",
    agent: "gemini",
    make: all(trusts("TRUST_FOLDER"), inFolder(".gemini/settings.json", "{} // nothing")),
    does: "connects",
    says: "connects",
  },
  {
    title: "gemini: the user's own settings say no",
    agent: "gemini",
    make: all(trusts("TRUST_FOLDER"), inHome(".gemini/settings.json", user({ ide: { enabled: false } }))),
    does: "stays away",
    says: "editor-mode-off",
  },
];
