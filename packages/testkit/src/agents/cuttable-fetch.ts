/** A fetch whose open event streams a test can break. */
export interface CuttableFetch {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Ends the event streams that are open now: `clean` as a server would, `reset` as a broken network would. */
  cut(how: "clean" | "reset"): void;
  /** Whether this error says that an event stream could not be opened (the port is away). */
  isStreamRefusal(error: unknown): boolean;
}

export function createCuttableFetch(): CuttableFetch {
  const open = new Set<(how: "clean" | "reset") => void>();
  const refusals = new WeakSet<object>();
  return {
    fetch: async (url, init) => {
      if (init?.method !== "GET") return await fetch(url, init);
      const abort = new AbortController();
      const signal = init.signal == null ? abort.signal : AbortSignal.any([init.signal, abort.signal]);
      const response = await fetch(url, { ...init, signal }).catch((error: unknown) => {
        if (typeof error === "object" && error !== null) refusals.add(error);
        throw error;
      });
      return response.body === null || !response.ok ? response : cuttable(response, response.body, abort, open);
    },
    cut: (how) => {
      for (const end of Array.from(open)) end(how);
    },
    isStreamRefusal: (error) => typeof error === "object" && error !== null && refusals.has(error),
  };
}

function cuttable(
  response: Response,
  body: ReadableStream<Uint8Array>,
  abort: AbortController,
  open: Set<(how: "clean" | "reset") => void>,
): Response {
  const reader = body.getReader();
  let cut: ((how: "clean" | "reset") => void) | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      cut = (how) => {
        if (cut !== undefined) open.delete(cut);
        if (how === "clean") controller.close();
        else controller.error(new TypeError("terminated"));
        abort.abort();
      };
      open.add(cut);
    },
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (cut === undefined || !open.has(cut)) return;
        if (!done) return controller.enqueue(value);
        open.delete(cut);
        controller.close();
      } catch (error) {
        if (cut === undefined || !open.delete(cut)) return;
        controller.error(error);
      }
    },
    cancel: async (reason) => {
      if (cut !== undefined) open.delete(cut);
      await reader.cancel(reason);
    },
  });
  return new Response(stream, { status: response.status, headers: response.headers });
}
