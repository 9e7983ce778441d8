import * as z from "zod";
import { isSecretPath } from "../../context/sharing-policy.ts";
import type { Diagnostic, FileDiagnostics, HostDiagnostics } from "../../editor-host.ts";
import type { Clock } from "../../support/time.ts";
import type { SessionServices } from "../dialect.ts";
import { PatchbayError } from "../../support/errors.ts";
import { defineTool, errorResult, type TextResult, textResult, type Tool } from "../tool.ts";
import { pathsOfUri } from "./selection.ts";

/**
 * How long Claude Code waits for an answer, ms: before an edit it asks about one file, before its next request about all
 * (docs/protocols/claude.md, "Diagnostics"). After three questions about a file that were answered later it asks no more.
 */
const patienceMs = { file: 500, all: 2_000 } as const;
/** So long before that the editor is told to say what it knows, ms. */
const hurryMs = { file: 200, all: 400 } as const;
/** So long before that the question is answered without the editor, ms: the answer has a way to go. */
const giveUpMs = 75;

const parameters = z.object({ uri: z.string().optional() });

/** What of a session's services the tool needs. */
export type DiagnosticsServices = Pick<SessionServices, "mayName" | "checkPath"> & {
  readonly host: { readonly diagnostics?: HostDiagnostics };
  readonly platform: { readonly clock: Clock };
};

interface Question {
  /** When it came, on the monotonic clock, ms. */
  readonly at: number;
  /** Aborted when the agent takes it back. */
  readonly signal: AbortSignal;
}

/** getDiagnostics: in time, and with every path as it is, because Claude Code neither encodes nor decodes any. */
export function createDiagnosticsTool(services: DiagnosticsServices): Tool {
  // Messages quote the file they are about: none of a file that is never shared, nor of one whose text is not.
  const mayQuote = (path: string): boolean => services.mayName(path) && !isSecretPath(path);
  return defineTool({
    name: "getDiagnostics",
    description: "Errors and warnings the editor shows, of one file or of the whole workspace.",
    inputSchema: {
      type: "object",
      properties: { uri: { type: "string", description: "file:// URI; all files when absent" } },
    },
    parse: parameters,
    run: async ({ uri }, signal) => {
      const asked: Question = { at: services.platform.clock.monotonic(), signal };
      if (uri === undefined || uri === "") {
        const all = await readInTime(services, undefined, asked);
        const quoted = all.filter(({ path }) => mayQuote(path));
        return answer(quoted.map((file) => ({ uri: `file://${file.path}`, diagnostics: file.diagnostics })));
      }
      const path = await pathOf(uri, services);
      if (path === undefined) return errorResult("The uri is not a file:// URI.");
      if (!mayQuote(path) || !(await services.checkPath(path)).inside) return answer([]);
      const found = await readInTime(services, path, asked);
      // In the form of the question, by which the answer is looked for.
      return answer(found.map(({ diagnostics }) => ({ uri, diagnostics })));
    },
  });
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
  { at, signal }: Question,
): Promise<readonly FileDiagnostics[]> {
  if (host.diagnostics === undefined) return [];
  const { clock } = platform;
  const kind = path === undefined ? "all" : "file";
  const left = patienceMs[kind] - (clock.monotonic() - at);
  const hurry = new AbortController();
  const abort = (): void => hurry.abort();
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  const hurrying = clock.setTimeout(abort, left - hurryMs[kind]);
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
    signal.removeEventListener("abort", abort);
  }
}

function answer(files: readonly { readonly uri: string; readonly diagnostics: readonly Diagnostic[] }[]): TextResult {
  return textResult(
    JSON.stringify(files.map(({ uri, diagnostics }) => ({ uri, diagnostics: diagnostics.map(member) }))),
  );
}

/** Exactly the members the protocol has, whatever else an editor's own object carries. */
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
