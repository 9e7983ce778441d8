import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../../docs/findings/", import.meta.url);

/** The findings of an editor's own diagnosis; all others are the doctor's. */
export const editorFindings = [
  "asks",
  "editor-mode-not-chosen",
  "editor-mode-off",
  "failed",
  "folders-open",
  "hook-broken",
  "hook-installed",
  "hook-needs-trust",
  "hook-off",
  "listening",
  "listening-but",
  "looks-on-container-host",
  "never-asks",
  "no-agent-connected",
  "no-folder-open",
  "not-yet-listening",
  "session",
  "sharing-off",
  "shows-changes-in-terminal",
  "stopped",
  "terminal-environment-off",
  "workspace-untrusted",
];

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
