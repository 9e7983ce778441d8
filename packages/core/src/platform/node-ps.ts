import process from "node:process";

const timeoutMs = 2_000;

/** What `ps` says of a process in one column; undefined where it says nothing. Loaded where /proc is not there to be read. */
export function askPs(
  { execFile }: Pick<typeof import("node:child_process"), "execFile">,
  pid: number,
  column: string,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: timeoutMs, env: { ...process.env, LC_ALL: "C", TZ: "UTC" } };
    execFile("ps", ["-o", column, "-p", String(pid)], options, (error, output) => {
      const text = output.trim();
      resolve(error === null && text !== "" ? text : undefined);
    });
  });
}
