import { defineConfig } from "tsup";

export default defineConfig({
  // The model by itself: it needs nothing of Node, and the panel's page reads it, too.
  entry: { index: "src/index.ts", model: "src/model/index.ts" },
  format: "esm",
  target: "node20",
  platform: "node",
  splitting: true,
  clean: true,
});
