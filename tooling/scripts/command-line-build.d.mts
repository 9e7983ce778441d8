import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

export function hookProgram(more?: Options): Options;
export function hookProgramText(): Plugin;
export function wholeParser(): Plugin;
export function withoutEngines(): Plugin;
