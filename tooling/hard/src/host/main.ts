// The editor process that the suite attacks: a real companion on this machine's files and sockets. Its user is played by
// the tests over the channel to the parent process, which no attacker has.
import process from "node:process";
import { CallTable } from "./call-table.ts";
import * as calls from "./calls.ts";
import { HostedCompanion } from "./hosted-companion.ts";
import { watchProcess } from "./process-watch.ts";

const log: string[] = [];
const faults: string[] = [];

function note(kind: string, fault: unknown): void {
  faults.push(`${kind}: ${fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)}`);
}

process.on("unhandledRejection", (reason) => note("unhandled rejection", reason));
process.on("uncaughtException", (error) => note("uncaught exception", error));
// The worst that a careless editor could do; private files must be private all the same.
process.umask(0);

const table = new CallTable().on(calls.log, () => log).on(calls.faults, () => faults);
new HostedCompanion((line) => {
  // Bounded, so that what is weighed is the companion and not its log.
  if (log.length >= 2_000) log.splice(0, 1_000);
  log.push(line);
}).answerTo(table);
watchProcess(table);

process.on("message", (message) => {
  void table.answer(message).then((answer) => process.connected && process.send?.(answer));
});
process.on("disconnect", () => process.exit(0));
process.send?.({ ready: true });
