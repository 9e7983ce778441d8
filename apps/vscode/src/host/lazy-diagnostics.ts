import type { Disposable } from "vscode";
import type { HostDiagnostics } from "@patchbay/core";

/** Diagnostics, whose code is loaded when an agent asks for the first time: before its first edit, to know how things stand. */
export function createLazyDiagnostics(own: (disposable: Disposable) => void): HostDiagnostics {
  const load = async (): Promise<HostDiagnostics> => {
    const { VsCodeDiagnostics } = await import("../later.ts");
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
