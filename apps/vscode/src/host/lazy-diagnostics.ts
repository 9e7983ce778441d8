import type { Disposable } from "vscode";
import type { HostDiagnostics } from "@patchbay/core";
import { loadLater } from "../load-later.ts";

/** Diagnostics, whose code is loaded when an agent asks for the first time: before its first edit, to know how things stand. */
export function createLazyDiagnostics(own: (disposable: Disposable) => void): HostDiagnostics {
  const load = async (): Promise<HostDiagnostics> => {
    const { VsCodeDiagnostics } = await loadLater();
    const diagnostics = new VsCodeDiagnostics();
    own(diagnostics);
    return diagnostics;
  };
  let loading: Promise<HostDiagnostics> | undefined;
  return {
    read: async (path, signal) => {
      loading ??= load();
      return await (await loading).read(path, signal);
    },
  };
}
