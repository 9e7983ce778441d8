import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

/** Bytes that are really held, after a collection. */
export function memoryInUse(): number {
  if (typeof collect === "function") collect();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}
