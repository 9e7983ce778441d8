import type { FarewellOrder } from "./farewell-order.ts";
import { runFarewell } from "./run-farewell.ts";

/** The keeper as a program in one text, for a Node that reads it from its standard input. */
export function farewellProgram(order: FarewellOrder): string {
  const modules = `{http:require("node:http"),crypto:require("node:crypto"),files:require("node:fs"),exit:()=>process.exit()}`;
  return `(${runFarewell.toString()})(${modules},${JSON.stringify(order)})\n`;
}
