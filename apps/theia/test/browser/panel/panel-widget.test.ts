// @vitest-environment jsdom
import "../../support/browser.ts";
import "@theia/core/lib/browser/shell/application-shell";
import { ColorApplicationContribution } from "@theia/core/lib/browser/color-application-contribution";
import { ColorRegistry } from "@theia/core/lib/browser/color-registry";
import { ContextKeyService } from "@theia/core/lib/browser/context-key-service";
import { KeybindingRegistry } from "@theia/core/lib/browser/keybinding";
import { ApplicationShellMouseTracker } from "@theia/core/lib/browser/shell/application-shell-mouse-tracker";
import { Widget } from "@theia/core/lib/browser/widgets/widget";
import { Emitter } from "@theia/core/lib/common/event";
import { ILogger } from "@theia/core/lib/common/logger";
import { Container, type interfaces } from "@theia/core/shared/inversify";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PanelConnection, PanelPages } from "../../../src/browser/panel/panel-connection.ts";
import { PanelWidget } from "../../../src/browser/panel/panel-widget.ts";

/** A window with the real widget, whose frame is a document that runs nothing. */
class Bench {
  readonly said: unknown[][] = [];
  readonly pressed: unknown[] = [];
  readonly themes: Emitter<void> = new Emitter();
  readonly downs: Emitter<MouseEvent> = new Emitter();
  readonly ups: Emitter<MouseEvent> = new Emitter();
  readonly pages: PanelPages = new PanelPages();
  color = "#111111";
  readonly #container: Container = new Container();

  constructor() {
    const note =
      (name: string) =>
      (...args: unknown[]): void =>
        void this.said.push([name, ...args]);
    const bind = (what: interfaces.ServiceIdentifier<unknown>, value: unknown): unknown =>
      this.#container.bind(what).toConstantValue(value);
    bind(PanelConnection, {
      pages: this.pages,
      texts: async () => ({ script: 'globalThis.x="</script><!--"', style: "p{}" }),
      server: {
        notifyPage: note("page"),
        notifySaid: note("said"),
        notifyVisible: note("visible"),
        notifyClosed: note("closed"),
      },
    });
    bind(ColorRegistry, {
      getColors: () => ["editor.background", "no.such"],
      getCurrentColor: (id: string) => (id === "no.such" ? undefined : this.color),
      toCssVariableName: (id: string, prefix: string) => `--${prefix}-${id.replaceAll(".", "-")}`,
    });
    bind(ColorApplicationContribution, { onDidChange: this.themes.event });
    bind(ContextKeyService, { createScoped: () => ({ createKey: () => undefined }) });
    bind(KeybindingRegistry, { dispatchKeyDown: (key: unknown) => this.pressed.push(key) });
    bind(ApplicationShellMouseTracker, { onMousedown: this.downs.event, onMouseup: this.ups.event });
    this.#container
      .bind(ILogger)
      .toConstantValue(Object({ error: note("error") }))
      .whenTargetNamed("patchbay");
    this.#container.bind(PanelWidget).toSelf();
  }

  widget(kept: object = {}): PanelWidget {
    const widget = this.#container.get(PanelWidget).setUp();
    widget.restoreState(kept);
    return widget;
  }

  named(name: string): readonly unknown[][] {
    return this.said.filter(([one]) => one === name);
  }
}

interface Handed {
  readonly port: MessagePort;
  readonly first: unknown;
}

/** What frames are handed, in place of pages that run. */
const handed: Handed[] = [];

/** The page's end of the port, as the frame gets it. */
async function portOf(widget: PanelWidget): Promise<Handed> {
  await shown(widget);
  await expect.poll(() => handed.length).toBeGreaterThan(0);
  const last = handed.at(-1);
  if (last === undefined) throw new Error("nothing was handed over");
  return last;
}

async function shown(widget: PanelWidget): Promise<HTMLIFrameElement> {
  if (!widget.isAttached) Widget.attach(widget, document.body);
  await expect.poll(() => widget.node.querySelector("iframe")).not.toBeNull();
  const frame = widget.node.querySelector("iframe");
  if (frame === null) throw new Error("no frame");
  return frame;
}

describe("the panel's widget", () => {
  let bench: Bench;

  beforeEach(() => {
    bench = new Bench();
    handed.length = 0;
    vi.spyOn(HTMLIFrameElement.prototype, "contentWindow", "get").mockReturnValue(
      Object({
        postMessage: (first: unknown, _to: string, [port]: readonly MessagePort[]) => {
          if (port !== undefined) handed.push({ port, first });
        },
      }),
    );
  });

  afterEach(() => {
    vi.restoreAllMocks();
    for (const { port } of handed) port.close();
    document.body.replaceChildren();
  });

  it("has no frame, and says nothing, before it is seen", async () => {
    bench.widget();
    await Promise.resolve();
    expect(bench.said).toEqual([]);
  });

  it("runs the page without an origin, by a nonce that is new each time, and with nothing from elsewhere", async () => {
    const widget = bench.widget();
    const frame = await shown(widget);
    expect(frame.getAttribute("sandbox")).toBe("allow-scripts");
    const nonces = [...frame.srcdoc.matchAll(/nonce="(\w+)"/gu)].map(([, nonce]) => nonce);
    expect(new Set(nonces).size).toBe(1);
    expect(frame.srcdoc).toContain(`script-src &#39;nonce-${nonces[0]}&#39;`);
    expect(frame.srcdoc).toContain("require-trusted-types-for &#39;script&#39;");
    expect(frame.srcdoc.match(/<script/gu)).toHaveLength(1);
    expect(frame.srcdoc.match(/<\/script/gu)).toHaveLength(1);
    Widget.detach(widget);
    const again = await shown(widget);
    expect(again.srcdoc).not.toContain(nonces[0]);
  });

  it("gives the page what it kept, and passes on what it says", async () => {
    const widget = bench.widget({ state: { conversation: "a" }, conversation: "a" });
    const { port, first } = await portOf(widget);
    expect(first).toEqual({ state: { conversation: "a" } });
    expect(bench.named("page")).toEqual([["page", expect.objectContaining({ conversation: "a" })]]);
    port.postMessage({ message: { type: "ready" } });
    port.postMessage({ state: { conversation: "b" } });
    await expect.poll(() => bench.named("said")).toHaveLength(1);
    const [[, page, message] = []] = bench.named("said");
    expect([page, message]).toEqual([widget.facts.page, { type: "ready" }]);
    await expect.poll(() => widget.storeState()).toMatchObject({ state: { conversation: "b" } });
  });

  it("does nothing for what is no message, whatever it is", async () => {
    const widget = bench.widget();
    const { port } = await portOf(widget);
    for (const junk of [null, 7, "ready", [], { command: "rm" }, { key: 1 }, { key: null }]) port.postMessage(junk);
    port.postMessage({ key: { key: { toString: 1 }, ctrlKey: "yes" } });
    port.postMessage({ message: { type: "last" } });
    await expect.poll(() => bench.named("said")).toHaveLength(1);
    expect(bench.pressed).toEqual([]);
  });

  it("presses the window's keys for the page, and no others", async () => {
    const widget = bench.widget();
    const { port } = await portOf(widget);
    port.postMessage({ key: { key: "P", code: "KeyP", keyCode: 80, ctrlKey: true, shiftKey: true, bubbles: true } });
    await expect.poll(() => bench.pressed).toHaveLength(1);
    expect(bench.pressed[0]).toEqual({
      key: "P",
      code: "KeyP",
      keyCode: 80,
      ctrlKey: true,
      shiftKey: true,
      metaKey: false,
      altKey: false,
      repeat: false,
    });
  });

  it("follows the theme, also where a colour goes", async () => {
    const widget = bench.widget();
    const frame = await shown(widget);
    expect(frame.srcdoc).toContain("--vscode-editor-background:#111111;");
    const { port } = await portOf(widget);
    const told: unknown[] = [];
    port.onmessage = ({ data }) => void told.push(data);
    bench.color = "#eeeeee";
    bench.themes.fire();
    await expect.poll(() => told).toHaveLength(1);
    expect(told[0]).toMatchObject({ theme: { "--vscode-editor-background": "#eeeeee", "--vscode-no-such": "" } });
  });

  it("lets the mouse through while something is dragged", async () => {
    const frame = await shown(bench.widget());
    bench.downs.fire(new MouseEvent("mousedown"));
    expect(frame.style.pointerEvents).toBe("none");
    bench.ups.fire(new MouseEvent("mouseup"));
    expect(frame.style.pointerEvents).toBe("");
  });

  it("has no frame any more once it is taken away, tells so, and says goodbye when it is closed", async () => {
    const widget = bench.widget();
    await portOf(widget);
    expect(widget.tell({ type: "patch" })).toBe(true);
    Widget.detach(widget);
    expect(widget.tell({ type: "patch" })).toBe(false);
    expect(bench.named("visible").at(-1)?.at(-1)).toBe(false);
    widget.dispose();
    expect(bench.named("closed")).toEqual([["closed", widget.facts.page]]);
    expect(bench.pages.all).toEqual([]);
  });
});
