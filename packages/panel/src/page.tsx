import { render } from "preact";
import { type Bridge, createViewBridge, receive } from "./bridge.ts";
import { LoadLater } from "./store/load-later.ts";
import { PanelStore } from "./store/store.ts";
import { App } from "./views/frame/app.tsx";
import { Boundary } from "./views/widgets/boundary.tsx";

const rest = new LoadLater(async () => {
  const parts = [import("./views/rest.tsx"), import("./views/rare.tsx"), import("./views/changes.tsx")] as const;
  for (const { fill } of await Promise.all(parts)) fill();
  return true;
});

/** Only where pages show reviews: what is said of them before waits. */
function loadReviews(store: PanelStore, root: HTMLElement): void {
  const early: unknown[] = [];
  const reviews = new LoadLater(async () => {
    const { startReviews } = await import("./views/review/reviews.tsx");
    startReviews({ store, root, early, boundary: Boundary });
    return true;
  });
  store.onReview = (about) => {
    early.push(about);
    reviews.whenLoaded(() => undefined);
  };
}

/** How long to wait for the rest before it is asked for again, ms: a question may be in it. */
const patience = 3000;

function loadRest(): void {
  if (rest.value !== undefined) return;
  rest.whenLoaded(() => undefined);
  setTimeout(loadRest, patience);
}

/** Between two drawings of what streams, ms, less the wait for a frame: hosts send it no faster. */
const pace = 40;
let drawnAt = 0;

/** What comes after a pause is drawn in the next frame. */
const nextFrame = (callback: () => void): void => {
  const draw = (): void => {
    requestAnimationFrame((now) => {
      drawnAt = now;
      callback();
    });
  };
  const wait = drawnAt + pace - performance.now();
  if (wait > 0) setTimeout(draw, wait);
  else draw();
};

/** Draws the panel and asks the host for what it shows. */
export function startPanel(bridge: Bridge, root: HTMLElement): PanelStore {
  const store = new PanelStore(bridge, nextFrame);
  bridge.onMessage((message) => store.apply(message));
  render(<App store={store} />, root);
  loadRest();
  loadReviews(store, root);
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
    // Webviews have no use for it.
    void import("./frame-bridge.ts").then(({ createPortBridge }) =>
      startPanel(createPortBridge(port, kept, receive), root),
    );
  };
  addEventListener("message", onPort);
}

start();
