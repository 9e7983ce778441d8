import { defineConfig } from "tsup";

export default defineConfig({
  // The model by itself: it needs nothing of Node, and the panel's page reads it, too.
  // And the driver of Pi, which is loaded with its first conversation.
  entry: { index: "src/index.ts", model: "src/model/index.ts", pi: "src/pi.ts" },
  format: "esm",
  target: "node20",
  platform: "node",
  splitting: true,
  clean: true,
});
