import type { Options } from "tsup";

export const editorFindings: readonly string[];
export const vimFindings: readonly string[];
export function findingPages(codes?: readonly string[]): NonNullable<Options["esbuildPlugins"]>[number];
