import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { mustRun } from "../support/processes.ts";

/** A Debian package, with something by which to see that it is there. */
export interface DebianPackage {
  readonly name: string;
  isPresent(): boolean;
}

function onPath(program: string): string | undefined {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((directory) => join(directory, program))
    .find((file) => existsSync(file));
}

const browserNames = ["chromium", "chromium-browser", "google-chrome"] as const;

/** The browser the editors run in; undefined if none is installed. */
export function findBrowser(): string | undefined {
  const chosen = process.env["PATCHBAY_E2E_BROWSER"];
  if (chosen !== undefined) return chosen;
  return browserNames.map(onPath).find((path) => path !== undefined);
}

const needed: readonly DebianPackage[] = [
  { name: "chromium", isPresent: () => findBrowser() !== undefined },
  { name: "fonts-dejavu-core", isPresent: () => existsSync("/usr/share/fonts/truetype/dejavu") },
  { name: "tmux", isPresent: () => onPath("tmux") !== undefined },
];

/** What npm needs to compile a native part. */
export const compilerPackages: readonly DebianPackage[] = [
  { name: "g++", isPresent: () => onPath("g++") !== undefined },
  { name: "make", isPresent: () => onPath("make") !== undefined },
  { name: "python3", isPresent: () => onPath("python3") !== undefined },
];

/** Brings the missing Debian packages as root; otherwise says by which command they come. */
export async function ensureDebianPackages(
  progress: (line: string) => void,
  packages: readonly DebianPackage[] = needed,
): Promise<void> {
  const missing = packages.filter((one) => !one.isPresent()).map((one) => one.name);
  if (missing.length === 0) return;
  const command = `apt-get install -y --no-install-recommends ${missing.join(" ")}`;
  if (process.getuid?.() !== 0 || onPath("apt-get") === undefined) {
    throw new Error(`missing: ${missing.join(", ")}. Bring them with: sudo ${command}`);
  }
  progress(`installing ${missing.join(", ")} …`);
  const options = { timeout: 10 * 60_000, env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  await mustRun("apt-get", ["update"], options);
  await mustRun("apt-get", ["install", "-y", "--no-install-recommends", ...missing], options);
}
