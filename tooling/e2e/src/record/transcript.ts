/** One line of a transcript: what one side said. */
export interface TranscriptLine {
  /** `in`: from the agent to the companion. */
  readonly dir: "in" | "out";
  readonly http?: Readonly<Record<string, unknown>>;
  readonly ws?: true;
  readonly body?: unknown;
}

/** What is replaced in a transcript, so that two runs on two machines give the same text. */
export interface Replacement {
  readonly from: string;
  readonly to: string;
}

/** Headers worth keeping: what a companion may look at, and what it answers with. */
const keptHeaders: ReadonlySet<string> = new Set([
  "accept",
  "authorization",
  "cache-control",
  "content-type",
  "host",
  "last-event-id",
  "mcp-protocol-version",
  "mcp-session-id",
  "origin",
  "sec-fetch-mode",
  "sec-websocket-extensions",
  "sec-websocket-protocol",
  "user-agent",
  "x-claude-code-ide-authorization",
]);

/** The headers a transcript keeps. */
export function keepHeaders(headers: NodeJS.Dict<string | string[]>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => keptHeaders.has(name) && value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );
}

/** JSON where the text is JSON, else the text itself; undefined for nothing. */
export function parseBody(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Not every answer is JSON: a refusal may be plain text.
    return text;
  }
}

/** Writes a transcript as JSON lines, freed of what differs from run to run. */
export function formatTranscript(lines: readonly TranscriptLine[], replacements: readonly Replacement[]): string {
  const sessions = new Map<string, string>();
  for (const line of lines) {
    const headers = line.http?.["headers"];
    const id = isDictionary(headers) ? headers["mcp-session-id"] : undefined;
    if (typeof id === "string" && !sessions.has(id)) sessions.set(id, `session-${sessions.size + 1}`);
  }
  const all = [...replacements, ...[...sessions].map(([from, to]) => ({ from, to }))];
  return lines.map((line) => `${normalise(JSON.stringify(line), all)}\n`).join("");
}

function normalise(text: string, replacements: readonly Replacement[]): string {
  return replacements
    .reduce((result, { from, to }) => result.replaceAll(from, to), text)
    .replaceAll(/("timestamp":)\d+/g, "$10")
    .replaceAll(/("ide_connected","params":\{"pid":)\d+/g, "$11")
    .replaceAll(/\(([0-9a-f]{6})\)/g, "(000000)");
}

function isDictionary(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
