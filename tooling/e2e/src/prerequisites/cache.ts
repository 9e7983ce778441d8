import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where the suite keeps editors, agents and what failed runs leave: outside the repository, kept between runs. */
export const cacheDirectory: string =
  process.env["PATCHBAY_E2E_CACHE"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "patchbay-e2e");

/** One program the suite installs for itself. */
export interface Component {
  readonly name: string;
  readonly version: string;
  /** Changes when the way of installing changes, so that older installs are replaced. */
  readonly recipe: number;
  /** Fills an empty directory. */
  install(directory: string): Promise<void>;
}

/** The directory of an installed component. */
export function componentDirectory(component: Component): string {
  return join(cacheDirectory, `${component.name}-${component.version}-r${component.recipe}`);
}

const stampName = ".installed";

/** Whether the component was installed to the end. */
function isInstalled(component: Component): boolean {
  return existsSync(join(componentDirectory(component), stampName));
}

/**
 * Installs a component unless it is there. The work happens in a directory aside that is renamed only when it is
 * complete and stamped, so an interrupted install is never taken for a finished one and two runs do not disturb each other.
 */
export async function ensureInstalled(component: Component, progress: (line: string) => void): Promise<string> {
  const directory = componentDirectory(component);
  if (isInstalled(component)) return directory;
  const started = performance.now();
  progress(`installing ${component.name} ${component.version} …`);
  const aside = `${directory}.partial-${process.pid}`;
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { recursive: true });
  try {
    await component.install(aside);
    await writeFile(join(aside, stampName), `${new Date().toISOString()}\n`);
    await moveIntoPlace(component, aside, directory);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  progress(`installed ${component.name} ${component.version} in ${Math.round((performance.now() - started) / 1000)} s`);
  return directory;
}

async function moveIntoPlace(component: Component, from: string, to: string): Promise<void> {
  if (isInstalled(component)) return;
  await rm(to, { recursive: true, force: true });
  try {
    await rename(from, to);
  } catch (error) {
    // Another run may have finished the same install a moment earlier; theirs is as good.
    if (!isInstalled(component)) throw error;
  }
}
