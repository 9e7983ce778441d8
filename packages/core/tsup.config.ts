import { defineConfig } from "tsup";
import { findingPages } from "../../tooling/scripts/finding-pages.mjs";

export default defineConfig({
  // The catalogue of agents by itself: it needs nothing of Node, and windows in a browser read it, too.
  entry: {
    index: "src/index.ts",
    agents: "src/agents/catalogue.ts",
    diagnosis: "src/diagnosis/index.ts",
    hook: "src/hook-client/index.ts",
    "hook-settings": "src/hook-settings/index.ts",
    inbox: "src/inbox/inbox.ts",
    "inbox-folders": "src/inbox/folders.ts",
    "json-input": "src/support/json-input.ts",
    "open-names": "src/companion/open-names.ts",
    paths: "src/session/path-check.ts",
    presences: "src/hooks/presences.ts",
    "turn-ledger": "src/hooks/turn-ledger.ts",
    texts: "src/diff/texts.ts",
    trial: "src/trial/trial.ts",
  },
  format: "esm",
  target: "node20",
  platform: "node",
  splitting: true,
  clean: true,
  esbuildPlugins: [findingPages()],
});
