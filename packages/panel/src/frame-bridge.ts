import type { Bridge, Receive } from "./bridge.ts";
import type { PageMessage } from "./messages/from-page.ts";

/** What a frame says to its owner besides messages and state: a key of the editor's that was pressed in it. */
export type FrameKey = Pick<
  KeyboardEvent,
  "key" | "code" | "keyCode" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "repeat"
>;

/** With Ctrl or Cmd, these edit the text, or are the browser's own. */
const ownKeys = /^(?:[acvxyzr]|arrow\w+|home|end|backspace|delete|enter)$/iu;

/** The keys that a frame passes on: what no control has taken, and what types no text. */
function keyForOwner(event: KeyboardEvent): FrameKey | undefined {
  const { key, code, keyCode, ctrlKey, metaKey, altKey, shiftKey, repeat, isComposing } = event;
  if (event.defaultPrevented || isComposing || event.getModifierState("AltGraph")) return undefined;
  const isCommand = ctrlKey || metaKey;
  if (isCommand ? ownKeys.test(key) && !altKey : !altKey && !/^F\d+$/u.test(key)) return undefined;
  return { key, code, keyCode, ctrlKey, metaKey, altKey, shiftKey, repeat };
}

/** Sets what the owner says of its theme: custom properties, each by its name. */
function applyTheme(theme: object): void {
  const { style } = document.documentElement;
  for (const [name, value] of Object.entries(theme)) {
    if (name.startsWith("--") && typeof value === "string") style.setProperty(name, value);
  }
}

function themeIn(data: unknown): object | undefined {
  const theme: unknown = typeof data === "object" && data !== null ? Reflect.get(data, "theme") : undefined;
  return typeof theme === "object" && theme !== null ? theme : undefined;
}

/**
 * In a frame whose owner has handed over a port. The owner keeps the state, and gives it when the frame starts; it may say
 * `{ theme }`, and is told of keys that are not the page's own by `{ key }`.
 */
export function createPortBridge(port: MessagePort, kept: unknown, receive: Receive): Bridge {
  let state = kept;
  const post = (message: PageMessage): void => port.postMessage({ message });
  addEventListener("keydown", (event) => {
    const key = keyForOwner(event);
    if (key === undefined) return;
    port.postMessage({ key });
    // The browser would save or print the page.
    if ((key.ctrlKey || key.metaKey) && /^[a-z]$/iu.test(key.key)) event.preventDefault();
  });
  return {
    post,
    onMessage: (listener) => {
      port.addEventListener("message", ({ data }) => {
        const theme = themeIn(data);
        if (theme === undefined) receive(data, listener, post);
        else applyTheme(theme);
      });
      port.start();
    },
    state: {
      get: () => state,
      set: (value) => {
        state = value;
        port.postMessage({ state: value });
      },
    },
  };
}
