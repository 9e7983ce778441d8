import type { Diagnostic, FileDiagnostics, HostDiagnostics } from "../editor-host.ts";
import { onAbort } from "../support/disposable.ts";
import { PatchbayError } from "../support/errors.ts";
import type { Clock } from "../support/time.ts";
import type { SessionServices } from "./dialect.ts";
import { pathsOfUri } from "./selection.ts";

/** What of a session's services a question needs. */
export type DiagnosticsServices = Pick<SessionServices, "mayName" | "checkPath"> & {
  readonly host: { readonly diagnostics?: HostDiagnostics };
  readonly platform: { readonly clock: Clock };
};

/** An agent asks what the editor finds wrong. */
export interface DiagnosticsQuestion {
  /** `file://` URI or path of one file; undefined or empty: all files. */
  readonly uri: string | undefined;
  /** How long it waits for an answer, ms: about one file, and about all. */
  readonly patienceMs: { readonly file: number; readonly all: number };
  /** Whether messages may be quoted that are about a file: not where its text is a secret. */
  readonly mayQuote: (path: string) => boolean;
  /** Aborted when the agent takes the question back. */
  readonly signal: AbortSignal;
}

/** So long before that the editor is told to say what it knows, ms. */
const hurryMs = { file: 200, all: 400 } as const;
/** So long before that the question is answered without the editor, ms: the answer has a way to go. */
const giveUpMs = 75;

/**
 * What the editor knows, in time; of one file, or of all that may be quoted. Each with exactly the members that agents know, whatever else
 * an editor's own object carries. Undefined where the URI names no file. Rejects with `host-failed` where the editor does not answer.
 */
export async function readDiagnostics(
  services: DiagnosticsServices,
  { uri, patienceMs, mayQuote, signal }: DiagnosticsQuestion,
): Promise<readonly FileDiagnostics[] | undefined> {
  const at = services.platform.clock.monotonic();
  const mayTell = (path: string): boolean => services.mayName(path) && mayQuote(path);
  if (uri === undefined || uri === "") {
    const all = await readInTime(services, undefined, { at, signal, patienceMs: patienceMs.all });
    return all.filter(({ path }) => mayTell(path)).map(plain);
  }
  const path = await pathOf(uri, services);
  if (path === undefined) return undefined;
  if (!mayTell(path) || !(await services.checkPath(path)).inside) return [];
  return (await readInTime(services, path, { at, signal, patienceMs: patienceMs.file })).map(plain);
}

/**
 * The file that is asked about. Where a name can be read both as it is and percent-encoded, the one that exists is meant.
 * Undefined where there is no path.
 */
async function pathOf(uri: string, { checkPath }: Pick<SessionServices, "checkPath">): Promise<string | undefined> {
  const [asItIs, decoded] = pathsOfUri(uri);
  if (asItIs === undefined || decoded === undefined) return asItIs;
  const exists = async (path: string): Promise<boolean> => (await checkPath(path)).exists;
  return (await exists(decoded)) && !(await exists(asItIs)) ? decoded : asItIs;
}

/** What the editor knows when the time is over, at the latest. */
async function readInTime(
  { host, platform }: DiagnosticsServices,
  path: string | undefined,
  { at, signal, patienceMs }: { readonly at: number; readonly signal: AbortSignal; readonly patienceMs: number },
): Promise<readonly FileDiagnostics[]> {
  if (host.diagnostics === undefined) return [];
  const { clock } = platform;
  const left = patienceMs - (clock.monotonic() - at);
  const hurry = new AbortController();
  const abort = (): void => hurry.abort();
  const following = onAbort(signal, abort);
  const hurrying = clock.setTimeout(abort, left - hurryMs[path === undefined ? "all" : "file"]);
  const read = host.diagnostics.read(path, hurry.signal);
  try {
    return await new Promise((resolve, reject) => {
      const givingUp = clock.setTimeout(
        () => reject(new PatchbayError("host-failed", "The editor did not answer in time.")),
        left - giveUpMs,
      );
      read.then(resolve, reject).finally(() => givingUp.dispose());
    });
  } finally {
    hurrying.dispose();
    following.dispose();
  }
}

function plain({ path, diagnostics }: FileDiagnostics): FileDiagnostics {
  return { path, diagnostics: diagnostics.map(member) };
}

function member({ message, severity, range: { start, end }, source, code }: Diagnostic): Diagnostic {
  return {
    message,
    severity,
    range: {
      start: { line: start.line, character: start.character },
      end: { line: end.line, character: end.character },
    },
    ...(source === undefined ? {} : { source }),
    ...(code === undefined ? {} : { code }),
  };
}
