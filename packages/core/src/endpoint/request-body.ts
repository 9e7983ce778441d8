import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { TextDecoder } from "node:util";
import { DepthGate } from "./depth-gate.ts";
import { type LargeJson, LargeJsonReader } from "./large-json.ts";

/** A text that is longer, UTF-16 units, is taken apart while it comes in. */
const largeText = 1024 * 1024;

export type BodyResult =
  | { readonly kind: "complete"; readonly text: string | LargeJson }
  | { readonly kind: "too-large" }
  | { readonly kind: "too-deep" }
  | { readonly kind: "not-utf8" }
  /** The client went away in the middle. */
  | { readonly kind: "cut" };

/**
 * Reads a request's body as text and calls `done` exactly once. Each chunk is checked and decoded as it comes, so that a
 * large proposal never holds the editor up for its whole length; a body that is over the limit, nested too deeply or not
 * UTF-8 is given up at once and read no further.
 */
export function collectBody(request: IncomingMessage, limitBytes: number, done: (result: BodyResult) => void): void {
  const text = new BodyText();
  let size = 0;

  const finish = (result: BodyResult): void => {
    request.off("data", onData);
    request.off("end", onEnd);
    request.off("close", onCut);
    if (result.kind !== "complete") request.pause();
    done(result);
  };
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    const refusal = size > limitBytes ? "too-large" : text.add(chunk);
    if (refusal !== undefined) finish({ kind: refusal });
  };
  const onEnd = (): void => {
    const whole = text.end();
    finish(whole === undefined ? { kind: "not-utf8" } : { kind: "complete", text: whole });
  };
  const onCut = (): void => finish({ kind: "cut" });

  request.on("data", onData);
  request.on("end", onEnd);
  request.on("close", onCut);
  // A reset connection is told by "close" too; without a listener Node would treat it as uncaught.
  request.on("error", () => undefined);
}

/** A text that grows by chunks of bytes. Nearly every body is one chunk, which needs no decoder. */
class BodyText {
  readonly #gate: DepthGate = new DepthGate();
  #first: Buffer | undefined;
  #decoder: TextDecoder | undefined;
  #text = "";
  #large: LargeJsonReader | undefined;

  /** Says what is wrong with the chunk. */
  add(chunk: Buffer): "too-deep" | "not-utf8" | undefined {
    if (!this.#gate.accept(chunk)) return "too-deep";
    if (this.#first === undefined) {
      this.#first = chunk;
      return undefined;
    }
    if (this.#decoder === undefined) {
      // A byte order mark is kept, so that it is refused as no JSON like in a single chunk.
      this.#decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
      if (!this.#decode(this.#first)) return "not-utf8";
    }
    return this.#decode(chunk) ? undefined : "not-utf8";
  }

  /** The whole text, or undefined where it is not UTF-8. */
  end(): string | LargeJson | undefined {
    if (this.#decoder !== undefined) return this.#decode() ? (this.#large?.end() ?? this.#text) : undefined;
    const bytes = this.#first;
    if (bytes === undefined) return "";
    return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
  }

  #decode(chunk?: Buffer): boolean {
    let text: string | undefined;
    try {
      text = chunk === undefined ? this.#decoder?.decode() : this.#decoder?.decode(chunk, { stream: true });
    } catch {
      return false;
    }
    this.#append(text ?? "");
    return true;
  }

  #append(text: string): void {
    if (this.#large !== undefined) {
      this.#large.add(text);
      return;
    }
    this.#text += text;
    if (this.#text.length <= largeText) return;
    this.#large = new LargeJsonReader(randomUUID());
    this.#large.add(this.#text);
    this.#text = "";
  }
}
