import type { Processes } from "./platform.ts";

/** Starts programs; what starts them is loaded with the first, which for most runs never comes. */
export const nodeProcesses: Processes = {
  startAttached: async (program, descriptor) =>
    (await import("./node-start-attached.ts")).startAttached(program, descriptor),
  startDetached: async (program, descriptor) =>
    (await import("./node-start-detached.ts")).startDetached(program, descriptor),
};
