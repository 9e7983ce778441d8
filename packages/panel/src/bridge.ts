import { type HostMessage, hostMessageSchema } from "./messages/from-host.ts";
import type { PageMessage } from "./messages/from-page.ts";

/** All that the page can do with the world outside: three functions. */
export interface Bridge {
  post(message: PageMessage): void;
  /** Calls back with each message of the host's that can be parsed. */
  onMessage(listener: (message: HostMessage) => void): void;
  /** What survives when the view is hidden; at most 100 kB. */
  readonly state: { get(): unknown; set(value: unknown): void };
}

interface ViewApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(value: unknown): void;
}

declare global {
  /** VS Code gives it to a webview, once. */
  var acquireVsCodeApi: (() => ViewApi) | undefined;
}

export type Receive = typeof receive;

/** What cannot be parsed is reported by its place and never shown. */
export function receive(data: unknown, listener: (message: HostMessage) => void, post: Bridge["post"]): void {
  const parsed = hostMessageSchema.safeParse(data);
  if (parsed.success) listener(parsed.data);
  else {
    const [issue] = parsed.error.issues;
    post({ type: "failed", message: `A message could not be read: ${issue?.path.join(".")}: ${issue?.code}` });
  }
}

/** In a webview of VS Code. */
export function createViewBridge(api: ViewApi): Bridge {
  const post = (message: PageMessage): void => api.postMessage(message);
  return {
    post,
    onMessage: (listener) => {
      addEventListener("message", (event) => receive(event.data, listener, post));
    },
    state: { get: () => api.getState(), set: (value) => api.setState(value) },
  };
}
