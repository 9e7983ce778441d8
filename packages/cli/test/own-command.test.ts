import { expect, it } from "vitest";
import { ownCommand } from "../src/own-command.ts";

it.skipIf(process.platform === "win32").each([
  ["/usr/local/bin/patchbay", "patchbay"],
  ["/home/u/clone/packages/cli/dist/patchbay.js", "node /home/u/clone/packages/cli/dist/patchbay.js"],
  ["/home/u/my clone/dist/patchbay.js", "node '/home/u/my clone/dist/patchbay.js'"],
  ["/home/u/.npm/_npx/1f/node_modules/.bin/patchbay", "npx @patchbay/cli"],
  ["/home/u/app/node_modules/.bin/patchbay", "/home/u/app/node_modules/.bin/patchbay"],
  ["/home/u/run-tests.js", "patchbay"],
  [undefined, "patchbay"],
])("started as %s it is started again by %s", (script, command) => {
  expect(ownCommand(script)).toBe(command);
});
