// Run as a process of its own: looks into directories as fast as it can and tells every file that was ever there with a
// mode that lets others in, and every file it could open while it was not yet named as a record.
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

const directories = process.argv.slice(2);
const seen = new Map<string, number>();
let looks = 0;

function look(directory: string): void {
  let names: readonly string[];
  try {
    names = readdirSync(directory);
    const { mode } = lstatSync(directory);
    if ((mode & 0o077) !== 0) seen.set(directory, mode & 0o7777);
  } catch {
    // Not made yet.
    return;
  }
  for (const name of names) {
    const path = join(directory, name);
    try {
      const { mode } = lstatSync(path);
      looks += 1;
      if ((mode & 0o177) !== 0) seen.set(path, mode & 0o7777);
    } catch {
      // Gone again: the temporary file has become the record.
    }
  }
}

let ended = false;
process.on("message", () => {
  ended = true;
});
process.send?.({ ready: true });

function run(): void {
  for (let round = 0; round < 200; round += 1) for (const directory of directories) look(directory);
  if (!ended) {
    setImmediate(run);
    return;
  }
  process.send?.({ looks, loose: Array.from(seen, ([path, mode]) => `${path} ${mode.toString(8)}`) });
  process.disconnect();
}
run();
