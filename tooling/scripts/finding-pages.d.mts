import type { Options } from "tsup";

export function findingPages(): NonNullable<Options["esbuildPlugins"]>[number];
