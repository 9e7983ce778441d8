import { type EndpointUnderTest, token } from "./endpoint-under-test.ts";
import { onTestFinished } from "vitest";

interface ReceivedEvent {
  readonly id: number;
  readonly message: unknown;
}

export interface OpenedStream {
  readonly response: Response;
  readonly events: ReceivedEvent[];
  /** Everything as it came, comments and retry lines included. */
  readonly text: () => string;
  /** How the stream ended. */
  readonly ended: Promise<"clean" | "cut">;
  readonly isEnded: () => boolean;
  /** Goes away without a word. */
  cut(): void;
}

/** Opens a session's GET stream and reads it. */
export async function openStream(
  under: EndpointUnderTest,
  sessionId: string,
  headers: Record<string, string> = {},
): Promise<OpenedStream> {
  const abort = new AbortController();
  const response = await fetch(under.url, {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream", "mcp-session-id": sessionId, ...headers },
    signal: abort.signal,
  });
  const events: ReceivedEvent[] = [];
  let text = "";
  let parsed = 0;
  let done = false;
  const read = async (): Promise<"clean" | "cut"> => {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        const end = text.lastIndexOf("\n\n") + 2;
        for (const block of text.slice(parsed, end).split("\n\n")) {
          const found = /^id: (\d+)\ndata: (.*)$/s.exec(block);
          if (found !== null) events.push({ id: Number(found[1]), message: JSON.parse(found[2] ?? "") });
        }
        parsed = end;
      }
      return "clean";
    } catch {
      return "cut";
    } finally {
      done = true;
    }
  };
  const ended = read();
  onTestFinished(() => abort.abort());
  return { response, events, text: () => text, ended, isEnded: () => done, cut: () => abort.abort() };
}

/** A notification as text, what streams have sent of them, and what they should have. */
export const note = (text: string): string => JSON.stringify({ jsonrpc: "2.0", method: "note", params: { text } });
export const texts = (events: readonly { readonly message: unknown }[]): unknown[] =>
  events.map(({ message }) => message);
export const noted = (...names: string[]): unknown[] => names.map((name): unknown => JSON.parse(note(name)));
