import { env } from "vscode";

/** Set by Patchbay's own Theia extension for the plug-in hosts of its windows: the editor, and the process that starts them. */
const nativeMarker = "PATCHBAY_NATIVE_EDITION";

/**
 * Why this edition stays silent in this window, or undefined where it serves. In a Theia application that has the native
 * edition, that one is the better one, and two would announce one window twice.
 */
export function reasonNotToServe(): string | undefined {
  // A VS Code that was started from a terminal of Theia has the variable from there, and another parent.
  if (process.env[nativeMarker] !== `theia:${process.ppid}`) return undefined;
  return `The native Patchbay edition of ${env.appName} serves this window.`;
}
