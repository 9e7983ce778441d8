import type { IncomingMessage, ServerResponse } from "node:http";
import type { Disposable } from "../support/disposable.ts";
import { messageOf } from "../support/errors.ts";
import { refuse, rpcCodes } from "./answers.ts";
import type { ConnectionContext } from "./connection-table.ts";
import type { HookAcceptor } from "./endpoint.ts";
import { portsOf } from "./event-stream.ts";
import { parseLargeJson } from "./large-json.ts";
import { type BodyResult, collectBody } from "./request-body.ts";

/** Header in which a hook names its process. */
export const hookProcessHeader = "patchbay-hook-process";

/** So often a hook that waits is told that the companion lives, ms. */
export const hookBeatMs = 20_000;

/** Hooks that wait at once; for a further one there is no opinion. */
const mostWaiting = 256;

export interface HookRouteOptions {
  readonly context: Pick<ConnectionContext, "clock" | "limits" | "logger">;
  readonly hooks: HookAcceptor | undefined;
}

/**
 * What `/hook` answers to requests that the guard has let in: lines of JSON, the last of which says what the hook is to print
 * (docs/decisions/0007-hooks.md).
 */
export class HookRoute {
  readonly #options: HookRouteOptions;
  readonly #waiting: Set<ServerResponse> = new Set();

  constructor(options: HookRouteOptions) {
    this.#options = options;
  }

  handle(request: IncomingMessage, response: ServerResponse, tokenName: string): void {
    const { headers } = request;
    if (headers["content-type"] !== "application/json" || headers["content-encoding"] !== undefined) {
      this.#refuse(request, response, 415, "The body must be application/json.");
      return;
    }
    if (headers.expect !== undefined) response.writeContinue();
    collectBody(request, this.#options.context.limits.maximumMessageBytes, (result) => {
      if (result.kind === "cut") return;
      const event = readEvent(result);
      if (event === undefined) this.#refuse(request, response, 400, "The event cannot be read.");
      else void this.#answer(request, response, tokenName, event.value);
    });
  }

  /** Nobody is answered any more: hooks that wait have no opinion. */
  close(): void {
    for (const response of this.#waiting) response.destroy();
  }

  async #answer(request: IncomingMessage, response: ServerResponse, tokenName: string, event: unknown): Promise<void> {
    const { hooks, context } = this.#options;
    const gone = new AbortController();
    let beat: Disposable | undefined;
    const schedule = (): void => {
      beat = context.clock.setTimeout(() => {
        response.write("\n");
        schedule();
      }, hookBeatMs);
    };
    response.on("close", () => gone.abort());
    // A write that meets a reset connection is told by "close".
    response.on("error", () => undefined);
    response.shouldKeepAlive = false;
    response.writeHead(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
    response.flushHeaders();
    this.#waiting.add(response);
    try {
      const output =
        this.#waiting.size > mostWaiting
          ? undefined
          : await hooks?.answerHook({
              tokenName,
              event,
              pid: processOf(request),
              ports: portsOf(request.socket),
              signal: gone.signal,
              waiting: (late) => {
                response.write(`${JSON.stringify({ state: "waiting", late })}\n`);
                if (beat === undefined) schedule();
              },
            });
      // Who is cut off without a last line asks again: the editor may come back.
      response.write(`${JSON.stringify(output === undefined ? { state: "none" } : { state: "done", output })}\n`);
    } catch (error) {
      context.logger.error("A hook could not be answered.", { cause: messageOf(error) });
    } finally {
      beat?.dispose();
      this.#waiting.delete(response);
      response.end();
    }
  }

  #refuse(request: IncomingMessage, response: ServerResponse, status: number, reason: string): void {
    refuse(request, response, this.#options.context.clock, { status, reason, code: rpcCodes.refused });
  }
}

function readEvent(result: BodyResult): { readonly value: unknown } | undefined {
  if (result.kind !== "complete") return undefined;
  try {
    return { value: typeof result.text === "string" ? JSON.parse(result.text) : parseLargeJson(result.text) };
  } catch {
    return undefined;
  }
}

function processOf({ headers }: IncomingMessage): number | undefined {
  const pid = Number(headers[hookProcessHeader]);
  return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
}
