import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** Editors' own modules, which exist only inside the editors: tests run on stand-ins. */
const standIns = { vscode: new URL("apps/vscode/test/fake-vscode/index.ts", import.meta.url).pathname };

function project(root: string, { isolate }: { readonly isolate: boolean }): TestProjectInlineConfiguration {
  return {
    extends: true,
    ...(root.startsWith("apps/") ? { resolve: { alias: standIns } } : {}),
    test: { name: root.slice(root.indexOf("/") + 1), root, isolate, include: ["test/**/*.test.ts"] },
  };
}

export default defineConfig({
  resolve: { conditions: ["@patchbay/source"] },
  ssr: { resolve: { conditions: ["@patchbay/source"] } },
  test: {
    // Most tests wait for sockets, processes and clocks most of the time.
    maxWorkers: 2 * availableParallelism(),
    // The one guard against what hangs, and no measure: machines are busy. No test needs another one.
    testTimeout: 60_000,
    expect: { poll: { timeout: 5_000, interval: 20 } },
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**", "apps/*/src/**"],
      reporter: ["text-summary"],
    },
    projects: [
      // A process for each file: some measure the memory they hold.
      project("packages/core", { isolate: true }),
      ...[
        "packages/testkit",
        "packages/cli",
        "packages/conversations",
        "packages/languages",
        "packages/panel",
        "packages/turns",
        "apps/vscode",
        "apps/theia",
        "apps/coc-nvim",
        "tooling/e2e",
        "tooling/release",
        "tooling/scripts",
      ].map((root) => project(root, { isolate: false })),
    ],
  },
});
