import type { Disposable } from "vscode";
import { type HostDiagnostics, LoadOnce } from "@patchbay/core";
import { loadLater } from "../load-later.ts";

/** Diagnostics, whose code is loaded when an agent asks for the first time: before its first edit, to know how things stand. */
export function createLazyDiagnostics(own: (disposable: Disposable) => void): HostDiagnostics {
  const diagnostics = new LoadOnce(async (): Promise<HostDiagnostics> => {
    const { VsCodeDiagnostics } = await loadLater();
    const loaded = new VsCodeDiagnostics();
    own(loaded);
    return loaded;
  });
  return { read: async (path, signal) => await (await diagnostics.get()).read(path, signal) };
}
