import type { Diagnostic, FileDiagnostics } from "@patchbay/core";
import type { Diagnostic as Marker } from "@theia/core/shared/vscode-languageserver-protocol";
import { URI } from "@theia/core/lib/common/uri";
import { inject, injectable } from "@theia/core/shared/inversify";
import { ProblemManager } from "@theia/markers/lib/browser/problem/problem-manager";
import { filePathOf, fileUriOf } from "./file-paths.ts";

const severities = ["Error", "Error", "Warning", "Information", "Hint"] as const;

/** Reads what Theia's problems view shows. */
@injectable()
export class ProblemReader {
  @inject(ProblemManager)
  protected readonly problems: ProblemManager;

  /** Of one file, or of all files. */
  read(path: string | undefined): readonly FileDiagnostics[] {
    const uris = path === undefined ? Array.from(this.problems.getUris(), (uri) => new URI(uri)) : [fileUriOf(path)];
    return uris.flatMap((uri) => {
      const file = filePathOf(uri);
      if (file === undefined) return [];
      // A file whose problems were solved stays known to Theia, with none.
      const diagnostics = this.problems.findMarkers({ uri }).map((marker) => toDiagnostic(marker.data));
      return diagnostics.length === 0 ? [] : [{ path: file, diagnostics }];
    });
  }
}

function toDiagnostic(marker: Marker): Diagnostic {
  const { message, severity, range, source, code } = marker;
  return {
    message: typeof message === "string" ? message : String(message),
    severity: severities[severity ?? 1] ?? "Error",
    range: { start: range.start, end: range.end },
    ...(source === undefined ? {} : { source }),
    ...(code === undefined ? {} : { code: String(code) }),
  };
}
