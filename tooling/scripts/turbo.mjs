// Plain JavaScript: the shell that has run an earlier `node` of the script keeps to it, and that may be the user's older one.
import { spawnSync } from "node:child_process";

// Turborepo sends usage figures and looks for updates unless it is told not to: nothing leaves the machine of who builds this.
const quiet = { TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1", TURBO_NO_UPDATE_NOTIFIER: "1" };
const [command = "run", ...rest] = process.argv.slice(2);
const { status, error } = spawnSync("turbo", [command, ...rest, "--output-logs=errors-only"], {
  stdio: "inherit",
  env: { ...process.env, ...quiet },
  shell: process.platform === "win32",
});
if (error !== undefined) throw error;
process.exitCode = status ?? 1;
