import type { IncomingMessage } from "node:http";
import * as z from "zod";

const notificationSchema = z.object({
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
});

/** One server-sent event with a message of the companion. */
export interface StreamEvent {
  readonly id: string | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

/** Reads the events of one GET stream. */
export class EventReader {
  readonly events: StreamEvent[] = [];
  readonly response: IncomingMessage;
  readonly openedAt: number;
  lastEventId: string | undefined;
  retryMs: number | undefined;
  /** How the stream ended, as the client saw it. */
  end: "clean" | "broken" | undefined;
  readonly #onEvent: (event: StreamEvent) => void;
  readonly #waiting: Set<() => void> = new Set();
  /** What came of an event that is not whole yet, in pieces: one of 50 MB comes in a thousand. */
  #rest: string[] = [];

  constructor(response: IncomingMessage, openedAt: number, onEvent: (event: StreamEvent) => void) {
    this.response = response;
    this.openedAt = openedAt;
    this.#onEvent = onEvent;
    response.setEncoding("utf8");
    response.on("data", (text: string) => this.#take(text));
    response.on("end", () => this.#ended("clean"));
    response.on("error", () => this.#ended("broken"));
    response.on("close", () => this.#ended("broken"));
  }

  /** The first event that matches, as soon as there is one. */
  async next(matches: (event: StreamEvent) => boolean, timeoutMs = 5_000): Promise<StreamEvent> {
    let found: StreamEvent | undefined;
    await this.until(() => (found = this.events.find(matches)) !== undefined, timeoutMs);
    if (found === undefined) throw new Error(`The stream ended (${this.end}) before the event.`);
    return found;
  }

  /** Waits until something holds or the stream has ended. */
  async until(holds: () => boolean, timeoutMs = 5_000): Promise<void> {
    const end = performance.now() + timeoutMs;
    while (!holds() && this.end === undefined) {
      const left = end - performance.now();
      if (left <= 0) throw new Error(`Nothing within ${timeoutMs} ms; ${this.events.length} events came.`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** Ends it as a crash of the client or of the net does. */
  cut(): void {
    this.response.destroy();
  }

  #take(text: string): void {
    this.#rest.push(text);
    const isSplit = text.startsWith("\n") && this.#rest.at(-2)?.endsWith("\n") === true;
    if (text.includes("\n\n") || isSplit) {
      const parts = this.#rest.join("").split("\n\n");
      this.#rest = [parts.pop() ?? ""];
      for (const part of parts) this.#event(part);
    }
    this.#wake();
  }

  #event(block: string): void {
    let id: string | undefined;
    let data: string | undefined;
    for (const line of block.split("\n")) {
      if (line.startsWith("id: ")) id = line.slice(4);
      else if (line.startsWith("data: ")) data = line.slice(6);
      else if (line.startsWith("retry: ")) this.retryMs = Number(line.slice(7));
    }
    if (id !== undefined) this.lastEventId = id;
    if (data === undefined) return;
    const { method, params = {} } = notificationSchema.parse(JSON.parse(data));
    const event = { id, method, params, atMs: performance.now() };
    this.events.push(event);
    this.#onEvent(event);
  }

  #ended(how: "clean" | "broken"): void {
    this.end ??= how;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of Array.from(this.#waiting)) resolve();
    this.#waiting.clear();
  }
}
