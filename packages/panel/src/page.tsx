import { render } from "preact";
import { type Bridge, createPortBridge, createViewBridge } from "./bridge.ts";
import { LoadLater } from "./store/load-later.ts";
import { PanelStore } from "./store/store.ts";
import { App } from "./views/frame/app.tsx";

const rest = new LoadLater(async () => {
  const { fillRest } = await import("./views/rest.tsx");
  fillRest();
  return true;
});

/** How long to wait for the rest before it is asked for again, ms: a question may be in it. */
const patience = 3000;

function loadRest(): void {
  if (rest.value !== undefined) return;
  rest.whenLoaded(() => undefined);
  setTimeout(loadRest, patience);
}

/** What streams is drawn 30 times a second: to the eye that is the same as 60, and it costs half. */
const nextFrame = (callback: () => void): void => {
  requestAnimationFrame(() => requestAnimationFrame(callback));
};

/** Draws the panel and asks the host for what it shows. */
export function startPanel(bridge: Bridge, root: HTMLElement): PanelStore {
  const store = new PanelStore(bridge, nextFrame);
  bridge.onMessage((message) => store.apply(message));
  render(<App store={store} />, root);
  loadRest();
  const { conversation } = store.kept;
  store.post({ type: "ready", ...(conversation === undefined ? {} : { conversation }) });
  return store;
}

function start(): void {
  const root = document.querySelector("#panel");
  if (!(root instanceof HTMLElement)) return;
  const { acquireVsCodeApi: acquire } = globalThis;
  if (acquire !== undefined) {
    startPanel(createViewBridge(acquire()), root);
    return;
  }
  // The owner of a frame hands over a port, once.
  const onPort = ({ data, ports: [port], source }: MessageEvent): void => {
    if (port === undefined || source !== parent) return;
    removeEventListener("message", onPort);
    const kept: unknown = typeof data === "object" && data !== null ? Reflect.get(data, "state") : undefined;
    startPanel(createPortBridge(port, kept), root);
  };
  addEventListener("message", onPort);
}

start();
