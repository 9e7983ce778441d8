/** How JSON of other programs is read, in lines or whole: an entry of its own, since editors read none when they start. */
export { DepthGate } from "./json-gate.ts";
export { LineReader, linesOf } from "./line-reader.ts";
