import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const apps = join(import.meta.dirname, "..", "..", "..", "..", "apps");

/**
 * The newest packaged file of an app, as `pnpm run package` leaves it.
 * @throws Error saying how to make one.
 */
export function findPackage(app: string, extension: string): string {
  const directory = join(apps, app);
  const [newest] = readdirSync(directory)
    .filter((name) => name.endsWith(extension))
    .map((name) => ({ path: join(directory, name), time: statSync(join(directory, name)).mtimeMs }))
    .sort((left, right) => right.time - left.time);
  if (newest === undefined) throw new Error(`no ${extension} in apps/${app}: run pnpm run package first`);
  return newest.path;
}
