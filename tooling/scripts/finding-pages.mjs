import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../../docs/findings/", import.meta.url);

/** The findings that an editor's own diagnosis explains; where all is well there is nothing to explain. All others are the doctor's. */
export const editorFindings = [
  "editor-mode-not-chosen",
  "editor-mode-off",
  "failed",
  "hook-broken",
  "hook-needs-trust",
  "hook-not-installed",
  "hook-off",
  "hook-untrusted",
  "listening-but",
  "looks-on-container-host",
  "never-asks",
  "no-agent-connected",
  "no-folder-open",
  "not-yet-listening",
  "session",
  "settings-not-json",
  "sharing-off",
  "shows-changes-in-terminal",
  "stopped",
  "terminal-environment-off",
  "workspace-untrusted",
];

/** Vim knows no trusted folders, and gives each of its terminals the variables. */
export const vimFindings = editorFindings.filter(
  (code) => code !== "terminal-environment-off" && code !== "workspace-untrusted",
);

/**
 * Puts the pages of docs/findings into `diagnosis/finding-pages.ts` of core, which reads them from there where nothing was built.
 *
 * @param {readonly string[]} [codes] only these
 * @returns {import("esbuild").Plugin}
 */
export function findingPages(codes) {
  return {
    name: "finding-pages",
    setup: (build) => {
      build.onLoad({ filter: /[\\/]diagnosis[\\/]finding-pages\.ts$/ }, () => {
        const all = readdirSync(folder).flatMap((name) => (/^[a-z-]+\.md$/.test(name) ? [name.slice(0, -3)] : []));
        const wanted = codes ?? all.filter((code) => code !== "index");
        const pages = wanted.map((code) => [code, readFileSync(new URL(`${code}.md`, folder), "utf8")]);
        return { contents: `export const findingPages = ${JSON.stringify(Object.fromEntries(pages))};`, loader: "js" };
      });
    },
  };
}
