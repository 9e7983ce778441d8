import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const conditions = ["@patchbay/source"];

// By itself, not among the projects of the ordinary tests: it takes minutes, wants the machine for itself, and is at its
// strongest as root, where it plays two users.
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    name: "hard",
    root: fileURLToPath(new URL(".", import.meta.url)),
    include: ["test/**/*.test.ts"],
    // Memory and time are measured: one attack at a time.
    fileParallelism: false,
    maxConcurrency: 4,
    testTimeout: 60_000,
    hookTimeout: 30_000,
    reporters: ["default", fileURLToPath(new URL("./src/report/scorecard-reporter.ts", import.meta.url))],
  },
});
