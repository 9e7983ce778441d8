import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import ordinary from "../../vitest.config.ts";

const setup = fileURLToPath(new URL("./as-macos.ts", import.meta.url));

// The ordinary tests, told that they run on macOS. `main.mjs` gives them a disk and a temporary directory as they are there.
export default defineConfig({
  ...ordinary,
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    ...ordinary.test,
    maxWorkers: 2,
    projects: (ordinary.test?.projects ?? []).map((project) =>
      typeof project === "object" && "test" in project
        ? { ...project, test: { ...project.test, setupFiles: [setup] } }
        : project,
    ),
  },
});
