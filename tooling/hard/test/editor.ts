import { expect, onTestFinished } from "vitest";
import { HttpAgent } from "../src/attack/http-agent.ts";
import { WebSocketAgent } from "../src/attack/web-socket-agent.ts";
import { EditorProcess, type EditorProcessOptions } from "../src/editor-process.ts";
import type { HostSettings } from "../src/host/calls.ts";
import * as ask from "../src/host/calls.ts";
import { Sandbox } from "../src/sandbox.ts";

export interface EditorSetup extends EditorProcessOptions {
  readonly sandbox?: Sandbox;
  readonly settings?: Partial<HostSettings>;
}

/** A sandbox that is removed when the test ends. */
export function makeSandbox(): Sandbox {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  return sandbox;
}

/** An editor process without a companion yet; when the test ends it must not have had a fault that nobody handled. */
export async function spawnEditor(setup: EditorSetup = {}): Promise<EditorProcess> {
  const editor = await EditorProcess.spawn(setup.sandbox ?? makeSandbox(), setup);
  onTestFinished(async () => {
    if (editor.hasExited) return;
    const faults = await editor.call(ask.faults);
    await editor.kill();
    expect(faults).toEqual([]);
  });
  return editor;
}

/** A running companion in a process of its own. */
export async function startEditor(setup: EditorSetup = {}): Promise<EditorProcess> {
  const editor = await spawnEditor(setup);
  await editor.start(setup.settings);
  return editor;
}

/** An agent of the Gemini family that has shaken hands and has its stream. */
export function connectHttp(
  editor: EditorProcess,
  options: { readonly clientVersion?: string } = {},
): Promise<HttpAgent> {
  return HttpAgent.connect({ port: editor.port, token: editor.sandbox.token("gemini"), ...options });
}

/** An agent of the Claude protocol that has shaken hands. */
export function connectWebSocket(editor: EditorProcess): Promise<WebSocketAgent> {
  return WebSocketAgent.connect({ port: editor.port, token: editor.sandbox.token("claude") });
}

export const mib: number = 1024 * 1024;

/** Bytes as a sentence for the scorecard. */
export function megabytes(bytes: number): string {
  return `${bytes < 0 ? "" : "+"}${(bytes / mib).toFixed(1)} MB`;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
