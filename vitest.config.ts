import { defineConfig } from "vitest/config";

const source = {
  resolve: { conditions: ["@patchbay/source"] },
  ssr: { resolve: { conditions: ["@patchbay/source"] } },
};

/** Editors' own modules, which exist only inside the editors: tests run on stand-ins. */
const standIns = { vscode: new URL("apps/vscode/test/fake-vscode/index.ts", import.meta.url).pathname };

export default defineConfig({
  ...source,
  test: {
    coverage: { provider: "v8", include: ["packages/*/src/**", "apps/*/src/**"], reporter: ["text-summary"] },
    projects: ["core", "testkit", "cli"]
      .map((name) => ({ ...source, test: { name, root: `packages/${name}`, include: ["test/**/*.test.ts"] } }))
      .concat(
        ["vscode", "theia", "coc-nvim"].map((name) => ({
          ...source,
          resolve: { ...source.resolve, alias: standIns },
          test: { name, root: `apps/${name}`, include: ["test/**/*.test.ts"] },
        })),
      ),
  },
});
