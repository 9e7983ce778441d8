import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import type { FakeWebviewPlace } from "../fake-vscode/webviews.ts";
import { RunningExtension } from "../running-extension.ts";
import { writeNova } from "./nova.ts";

/** A window in which Claude Code and an agent from the settings are installed. */
export class PanelWindow extends RunningExtension {
  readonly programs: string;

  constructor() {
    super();
    this.programs = join(this.root, "programs");
    mkdirSync(this.programs);
    const claude = join(this.programs, "claude");
    // It is found, and started by nobody here.
    writeFileSync(claude, "#!/bin/sh\nexit 1\n");
    chmodSync(claude, 0o755);
    vi.stubEnv("PATH", `${this.programs}:/usr/bin:/bin`);
    vi.stubEnv("SHELL", undefined);
  }

  /** Names the agent in the settings, with what is set for it. */
  useNova(more: object = {}): void {
    const program = writeNova(this.programs);
    this.bench.configure("patchbay.panel.agents", { nova: { name: "Nova", program, ...more } });
  }

  /** The view, whose page has started. */
  async view(id = "patchbay.panel"): Promise<FakeWebviewPlace> {
    const view = this.bench.webviews.views.get(id);
    if (view === undefined) throw new Error(`There is no view ${id}.`);
    await ready(view);
    return view;
  }

  /** Opens the panel and begins a conversation. */
  async converse(agent: string): Promise<{ readonly view: FakeWebviewPlace; readonly id: string }> {
    await this.run("patchbay.panel.open");
    const view = await this.view();
    view.webview.say({ type: "new-conversation", agent });
    await expect.poll(() => openIn(view)).toBeDefined();
    return { view, id: openIn(view) ?? "" };
  }
}

/** The page starts, and has been answered. */
export async function ready(place: FakeWebviewPlace): Promise<void> {
  const before = place.webview.told("hello").length;
  place.webview.say({ type: "ready" });
  await expect.poll(() => place.webview.told("hello").length).toBe(before + 1);
}

/** The id of the conversation that a page was shown last. */
export function openIn({ webview }: FakeWebviewPlace): string | undefined {
  const shown = [...webview.told("hello"), ...webview.told("conversation")].at(-1);
  const open: unknown = shown === undefined ? undefined : Reflect.get(shown, "open");
  return typeof open === "object" && open !== null ? String(Reflect.get(open, "id")) : undefined;
}

/** All that a page was told, as text. */
export function heard({ webview }: FakeWebviewPlace): string {
  return JSON.stringify(webview.posted);
}
