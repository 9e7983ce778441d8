import * as modules from "node:module";
import "@theia/core/shared/reflect-metadata";
import { FrontendApplicationConfigProvider } from "@theia/core/lib/browser/frontend-application-config-provider";

// What Theia's and Monaco's browser modules need in order to load, and jsdom has not got. Imported before them; the file that
// does so begins with `@vitest-environment jsdom`.

Object.assign(globalThis, {
  DragEvent: class extends MouseEvent {},
  PerformanceNavigationTiming: class extends PerformanceEntry {},
});
Object.assign(document, { queryCommandSupported: () => false });
// jsdom says that it is a kind of Safari, for which Monaco does much that jsdom cannot do.
Object.defineProperty(navigator, "userAgent", { value: "Mozilla/5.0 Chrome/140.0.0.0", configurable: true });
Object.assign(window, { matchMedia: () => ({ matches: false, addEventListener: () => {} }) });

// The page is the same for all test files of a worker.
if (!Reflect.has(globalThis, "isPageReady")) {
  Object.assign(globalThis, { isPageReady: true });
  FrontendApplicationConfigProvider.set({ applicationName: "Theia of the tests" });
  HTMLCanvasElement.prototype.getContext = () => null;
  ignoreStyles();
  const { DialogOverlayService } = await import("@theia/core/lib/browser/dialogs");
  new DialogOverlayService().initialize();
}

/** Style sheets are imported as modules there. */
function ignoreStyles(): void {
  const register: unknown = Reflect.get(modules, "registerHooks");
  if (typeof register !== "function") throw new Error("The tests need a newer version of Node.");
  Reflect.apply(register, modules, [
    {
      load: (url: string, context: unknown, next: (url: string, context: unknown) => unknown) =>
        url.endsWith(".css") ? { format: "commonjs", source: "", shortCircuit: true } : next(url, context),
    },
  ]);
}
