import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { install, root } from "./install.mjs";

install({ onlyForStart: true });
const { buildCommandLine } = await import("./build.mjs");
await buildCommandLine(root);

const args = process.argv.slice(2);
const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
const script = join(root, "packages", "cli", "dist", "patchbay.js");
// In this process: a terminal's signals and keys then reach the program and nothing in between.
process.argv = [process.execPath, script, "serve", ...(isTerminal || args.length > 0 ? args : ["--demo"])];
await import(pathToFileURL(script).href);
