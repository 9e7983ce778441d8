import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { LineReader } from "../../../../packages/core/src/support/line-reader.ts";
import { serveControl } from "./control.ts";
import { moveToPrivateHome, readRecord } from "./private-home.ts";

// The headless host as it is built: `patchbay serve --json`, with its own standard streams in the hands of the benchmark.

const folder = process.argv.at(-1) ?? process.cwd();
const control = process.stdin;
const home = moveToPrivateHome();
const commands = new PassThrough();
const events = new PassThrough();
Object.defineProperty(process, "stdin", { value: commands });
const listening = new Promise<void>((resolve) => {
  const onLine = (line: string): void => {
    if (line.startsWith('{"event":"listening"')) resolve();
  };
  const lines = new LineReader({ onLine });
  events.on("data", (chunk: Uint8Array) => lines.push(chunk));
});
const output = process.stdout;
Object.defineProperty(process, "stdout", { value: events });
process.argv = [process.execPath, "patchbay", "serve", folder, "--json"];
const ended = import(new URL("../../../../packages/cli/dist/patchbay.js", import.meta.url).href);
await listening;
Object.defineProperty(process, "stdout", { value: output });

let open = join(folder, "open.ts");
const tell = (command: object): void => void commands.write(`${JSON.stringify(command)}\n`);
serveControl(
  readRecord(home),
  {
    open: (path, text) => {
      open = path;
      writeFileSync(path, text);
      tell({ command: "open", file: path });
    },
    // There is no cursor here: the user names a line, or lines.
    cursor: (line, character) => tell({ command: "open", file: `${open}:${line + character + 1}` }),
    select: (line, character) => tell({ command: "open", file: `${open}:1-${line + character + 1}` }),
    stop: async () => {
      tell({ command: "quit" });
      await ended;
      home.remove();
    },
  },
  { hasCursor: false },
  control,
);
