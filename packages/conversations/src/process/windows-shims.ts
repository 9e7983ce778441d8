import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A program, and arguments that come before those of whoever starts it. */
export interface Start {
  readonly program: string;
  readonly args: readonly string[];
}

/** Node's program, as the scripts name it. */
const node = String.raw`(?:"%_prog%"|"?(?:%~?dp0%?\\)?node(?:\.exe)?"?)`;
const place = String.raw`"%~?dp0%?\\*(?<target>[^"%]+)"\s+%\*`;
const nodeScript = new RegExp(String.raw`${node}(?<flags>(?:\s+--?[\w=.:-]+)*)\s+${place}`, "iu");
const ownProgram = new RegExp(String.raw`(?:^|[&(\s@])${place}`, "imu");

/**
 * What a script starts that npm or pnpm has put on the path of Windows in place of a program. Node does not start such scripts (EINVAL),
 * and the command processor would have its own reading of every argument. Undefined for a script of another kind.
 */
export async function readShim(
  path: string,
  find: (program: string) => Promise<string | undefined>,
): Promise<Start | undefined> {
  const text = await readFile(path, "utf8").catch(() => "");
  const at = (target = ""): string => join(dirname(path), ...target.split(/[\\/]/u));
  const script = nodeScript.exec(text)?.groups;
  if (script !== undefined) {
    const program = (await find(at("node.exe"))) ?? (await find("node"));
    const flags = script["flags"]?.trim().split(/\s+/u) ?? [];
    if (program === undefined) return undefined;
    return { program, args: [...flags.filter((flag) => flag !== ""), at(script["target"])] };
  }
  const target = ownProgram.exec(text)?.groups?.["target"];
  return target?.toLowerCase().endsWith(".exe") === true ? { program: at(target), args: [] } : undefined;
}
