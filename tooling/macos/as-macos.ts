import { promises, readdirSync, realpath, realpathSync } from "node:fs";
import { join } from "node:path";

// What Node.js says on macOS, for what runs on `disk.py`: the system's name, and paths as their names were made.
const asLinux = { at: realpathSync.native, later: realpath.native };

function spelled(path: string): string {
  let real = "/";
  for (const name of path.split("/").filter((one) => one !== "")) {
    real = join(
      real,
      namesIn(real).find((one) => one === name) ?? namesIn(real).find((one) => isSame(one, name)) ?? name,
    );
  }
  return real;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not to be read: the names stay as they were given.
    return [];
  }
}

function isSame(one: string, other: string): boolean {
  return one.normalize("NFD").toLowerCase() === other.normalize("NFD").toLowerCase();
}

if (process.platform !== "darwin") {
  Object.defineProperty(process, "platform", { value: "darwin" });
  realpathSync.native = Object.assign((path: string) => spelled(asLinux.at(path)), realpathSync.native);
  realpath.native = Object.assign((path: string, then: (error: Error | null, real: string) => void) => {
    asLinux.later(path, (error, real) => then(error, error === null ? spelled(real) : real));
  }, realpath.native);
  promises.realpath = Object.assign(
    (path: string) => Promise.resolve().then(() => realpathSync.native(path)),
    promises.realpath,
  );
}
