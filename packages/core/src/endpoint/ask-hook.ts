import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { DisposableStore, onAbort } from "../support/disposable.ts";
import { Patience } from "./patience.ts";

/** Without a line for so long, ms, the companion does not live: it says one every 20 s. */
const silentMs = 90_000;

/** How long somebody may take to let the hook in, ms, before it is asked whether they may be busy; longer than an editor usually takes. */
const answerMs = 3_000;

/** How long one may take that is busy, ms: an editor that opens a large folder, or stands in a debugger, still reviews what is written. */
const busyMs = 20_000;

/** How long whoever has let it in may take to say what becomes of it, ms: before the user is asked, a companion reads files. */
const firstLineMs = 15_000;

/** No answer holds more characters: it is at most a file's text and its arguments. */
const mostCharacters = 64 * 1_048_576;

export interface HookQuestion {
  readonly port: number;
  readonly token: string;
  /** Whose event it is: several agents may read the same record, and have its token. */
  readonly agent?: string;
  /** The event as the agent gave it: JSON. */
  readonly event: string;
  readonly pid: number;
  /** What is left until the agent's patience ends, ms. */
  readonly limitMs: number;
  /** Aborted: whoever asks wants no answer any more. */
  readonly signal?: AbortSignal;
  /**
   * Whether one that has not answered so far is worth more time. Not where its process is one that the user has suspended, as with Ctrl-Z,
   * nor where another companion may answer instead. Default: it is.
   */
  readonly mayBeBusy?: () => Promise<boolean>;
  /** Hears what the companion says while it has no answer yet. */
  readonly onWaiting?: (said: string) => void;
}

export type HookReply =
  /** What to print; undefined: no opinion. */
  | { readonly kind: "answered"; readonly output: string | undefined }
  /**
   * The companion ended, or fell silent, while the user was asked: the editor may come back, and another one may be there. `output`: what
   * to print where none does.
   */
  | { readonly kind: "cut"; readonly output: string }
  /** Nobody listens, or not a companion that knows hooks: another one may. */
  | { readonly kind: "refused" };

/** Hands an agent's event to a companion and waits for what to print (docs/decisions/0007-hooks.md). Never rejects. */
export async function askHook(question: HookQuestion): Promise<HookReply> {
  const store = new DisposableStore();
  return await new Promise((resolve) => {
    const asking = begin(question, (reply) => {
      hasAnswered = true;
      clearTimeout(limit);
      clearTimeout(silence);
      patience.dispose();
      store.dispose();
      asking.request.destroy();
      resolve(reply);
    });
    const limit = setTimeout(() => asking.late(), question.limitMs);
    let hasAnswered = false;
    let patience = new Patience(answerMs, () => {
      const busy = question.mayBeBusy?.() ?? Promise.resolve(true);
      void busy.then((mayBeBusy) => {
        if (!mayBeBusy) asking.refuse();
        else if (!hasAnswered) patience = new Patience(busyMs - answerMs, () => asking.refuse());
      }, asking.refuse);
    });
    let silence: ReturnType<typeof setTimeout> | undefined;
    asking.onLife((forMs) => {
      hasAnswered = true;
      patience.dispose();
      clearTimeout(silence);
      silence = setTimeout(() => asking.end(), forMs);
    });
    store.add(onAbort(question.signal, asking.refuse));
  });
}

/** One request, from its headers to its last line. */
interface Asking {
  readonly request: ClientRequest;
  /** Told for how long the companion need not say more. */
  onLife(listener: (forMs: number) => void): void;
  late(): void;
  refuse(): void;
  end(): void;
}

function begin({ port, token, agent, event, pid, onWaiting }: HookQuestion, done: (reply: HookReply) => void): Asking {
  let begun: { readonly late: string; readonly gone: string } | undefined;
  let isSettled = false;
  let onLife: (forMs: number) => void = () => {};
  const settle = (reply: HookReply): void => {
    if (isSettled) return;
    isSettled = true;
    done(reply);
  };
  /** Nothing that can be used comes any more. */
  const lost = (): HookReply =>
    begun === undefined ? { kind: "answered", output: undefined } : { kind: "cut", output: begun.gone };
  const body = Buffer.from(event);
  const asked = request(
    {
      host: "127.0.0.1",
      port,
      method: "POST",
      path: "/hook",
      agent: false,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "content-length": body.length,
        "patchbay-hook-process": String(pid),
        ...(agent === undefined ? {} : { "patchbay-hook-agent": agent }),
      },
    },
    (response) => {
      // With 400 it may say what an event gets that it cannot read.
      if (response.statusCode !== 200 && response.statusCode !== 400) {
        settle({ kind: "refused" });
        return;
      }
      onLife(firstLineMs);
      const take = (line: string): void => {
        const told = readLine(line);
        // Anything else is no sign of life.
        if (line === "" || told !== undefined) onLife(silentMs);
        if (told?.late !== undefined) {
          begun = { late: told.late, gone: told.gone ?? told.late };
          if (!isSettled) onWaiting?.(told.late);
        }
        if (told?.output !== undefined) settle({ kind: "answered", output: told.output });
        if (told?.isNone === true) settle({ kind: "answered", output: begun?.gone });
      };
      eachLine(response, take, () => settle(lost()));
      const cut = (): void => settle(response.statusCode === 400 ? { kind: "refused" } : lost());
      response.on("close", cut);
      response.on("error", cut);
    },
  );
  // Of a connection that is reset the request hears, too, with its answer begun.
  asked.on("error", () => settle(begun === undefined ? { kind: "refused" } : lost()));
  asked.end(body);
  return {
    request: asked,
    onLife: (listener) => {
      onLife = listener;
    },
    late: () => settle({ kind: "answered", output: begun?.late }),
    refuse: () => settle({ kind: "refused" }),
    end: () => settle(lost()),
  };
}

function eachLine(response: IncomingMessage, take: (line: string) => void, tooLong: () => void): void {
  let begun = "";
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    const [first = "", ...more] = chunk.split("\n");
    begun += first;
    for (const next of more) {
      take(begun);
      begun = next;
    }
    if (begun.length > mostCharacters) tooLong();
  });
}

/** Undefined for what is none of ours, and for a line that only says that the companion lives. */
function readLine(
  line: string,
): { readonly late?: string; readonly gone?: string; readonly output?: string; readonly isNone?: boolean } | undefined {
  if (line === "") return undefined;
  try {
    const told: unknown = JSON.parse(line);
    if (typeof told !== "object" || told === null || !("state" in told)) return undefined;
    if (told.state === "waiting" && "late" in told && typeof told.late === "string")
      return { late: told.late, ...("gone" in told && typeof told.gone === "string" ? { gone: told.gone } : {}) };
    if (told.state === "none") return { isNone: true };
    if (told.state === "done" && "output" in told && typeof told.output === "string") return { output: told.output };
    return undefined;
  } catch {
    return undefined;
  }
}
