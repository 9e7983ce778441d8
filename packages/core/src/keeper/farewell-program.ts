import type { FarewellOrder, GuardOrder } from "./farewell-order.ts";
import { type FarewellModules, runFarewell } from "./run-farewell.ts";

const modules = `{http:require("node:http"),crypto:require("node:crypto"),files:require("node:fs"),exit:()=>process.exit()}`;

/** The keeper as a program in one text, for a Node that reads it from its standard input. */
export function farewellProgram(order: FarewellOrder): string {
  return `(${runFarewell.toString()})(${modules},${JSON.stringify(order)})\n`;
}

/** The guardian as an expression for `Processes.startAttached`. */
export function guardianProgram(): string {
  return `(${standGuard.toString()})(()=>(${modules}),${runFarewell.toString()},()=>process.exit())`;
}

/** Says to a guardian that it has nothing to do any more. */
export const dismissal = "";

/**
 * The program of a guardian: a keeper that waits for the end of the run, which it hears as the end of the pipe. Sent as its
 * source text, like `runFarewell`.
 */
export function standGuard(
  load: () => FarewellModules,
  run: (modules: FarewellModules, order: FarewellOrder) => void,
  exit: () => void,
): (line: string | undefined) => void {
  let order: GuardOrder | undefined;
  return (line) => {
    if (line === "") exit();
    else if (line !== undefined) order = JSON.parse(line);
    else if (order === undefined) exit();
    else {
      const now = Date.now();
      const tellAt = now + order.holdMs;
      run(load(), { ...order, tellAt, endAt: tellAt + order.stragglersMs });
    }
  };
}
