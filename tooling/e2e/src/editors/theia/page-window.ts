import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { DiffRequest, FileDiagnostics } from "@patchbay/core";
import type { PatchbayServer, PatchbayWindow, ProposalText } from "../../../../../apps/theia/src/common/protocol.ts";

/** What the page reports; but for the dialogs it is for the backend. */
type Reported = keyof Reports | "dialog";

/** What of a backend the page reports to. */
type Reports = Pick<PatchbayServer, "notifyContext" | "notifyDraft" | "notifyUnsaved" | "decide">;

/**
 * The real frontend in its page as the window of a backend in this process: the browser's debugger does what Theia's
 * connection does between the two, so that a test holds the backend's end in its hand.
 */
export class PageWindow implements PatchbayWindow {
  readonly #page: Page;
  #server: Reports | undefined;
  /** Dialogs that blocked the user so far. */
  dialogs = 0;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Takes the frontend away from its own backend. Once for a page. */
  async install(): Promise<void> {
    await this.#page.exposeFunction("patchbayReport", (name: Reported, args: readonly unknown[]) =>
      this.#report(name, args),
    );
    const script = await readFile(join(import.meta.dirname, "contract-page.js"), "utf8");
    await this.#page.evaluate(script);
  }

  /** From now on reports go to this backend. */
  serve(server: Reports | undefined): void {
    this.#server = server;
  }

  /** Runs one of the user's hands in the page. */
  async control<T = void>(name: string, ...args: readonly unknown[]): Promise<T> {
    return await this.#evaluate("control", name, args);
  }

  async openDiff(request: DiffRequest): Promise<"opened" | "declined"> {
    return await this.#call("openDiff", request);
  }

  async closeDiff(...args: Parameters<PatchbayWindow["closeDiff"]>): Promise<void> {
    await this.#call("closeDiff", ...args);
  }

  async revealDiff(proposalId: string): Promise<boolean> {
    await this.#call("revealDiff", proposalId);
    return true;
  }

  async readDiff(proposalId: string): Promise<ProposalText> {
    return await this.#call("readDiff", proposalId);
  }

  notifyAgentPresent(proposalId: string, present: boolean): void {
    void this.#call("notifyAgentPresent", proposalId, present);
  }

  async updateDiff(...args: Parameters<PatchbayWindow["updateDiff"]>): Promise<"applied" | "stale" | "gone"> {
    return await this.#call("updateDiff", ...args);
  }

  notifyStanding(...args: Parameters<PatchbayWindow["notifyStanding"]>): void {
    void this.#call("notifyStanding", ...args);
  }

  notifyWithdrawn(messageId: number): void {
    void this.#call("notifyWithdrawn", messageId);
  }

  async showMessage(...args: Parameters<PatchbayWindow["showMessage"]>): Promise<string | undefined> {
    return await this.#call("showMessage", ...args);
  }

  async readDiagnostics(path: string | undefined): Promise<readonly FileDiagnostics[]> {
    return await this.#call("readDiagnostics", path);
  }

  async openDocument(...args: Parameters<PatchbayWindow["openDocument"]>): Promise<void> {
    await this.#call("openDocument", ...args);
  }

  async saveDocument(path: string): Promise<boolean> {
    return await this.#call("saveDocument", path);
  }

  async readDocument(path: string, limitBytes: number): Promise<string | undefined> {
    return await this.#call("readDocument", path, limitBytes);
  }

  async tellContext(): Promise<void> {
    await this.#call("tellContext");
  }

  async readUnsaved(path: string): Promise<string | undefined> {
    return await this.#call("readUnsaved", path);
  }

  async encodingOf(path: string): Promise<string> {
    return await this.#call("encodingOf", path);
  }

  async reloadDocument(path: string, heldText: string): Promise<void> {
    await this.#call("reloadDocument", path, heldText);
  }

  async writeDocument(...args: Parameters<PatchbayWindow["writeDocument"]>): Promise<"written" | "stale"> {
    return await this.#call("writeDocument", ...args);
  }

  async openUntitled(text: string, likePath: string): Promise<void> {
    await this.#call("openUntitled", text, likePath);
  }

  notifyStatus(): void {}

  notifyTurns(): void {}

  notifyConversation(): void {}

  notifyLog(): void {}

  async #call<T>(name: string, ...args: readonly unknown[]): Promise<T> {
    return await this.#evaluate("call", name, args);
  }

  /** The page gets a sentence and no function: nothing of this file's compilation follows it there. */
  async #evaluate<T>(kind: "call" | "control", name: string, args: readonly unknown[]): Promise<T> {
    const values = args.map((argument) => (argument === undefined ? "undefined" : JSON.stringify(argument)));
    return await this.#page.evaluate<T>(`patchbayContract.${kind}(${JSON.stringify(name)}, [${values.join(", ")}])`);
  }

  async #report(name: Reported, args: readonly unknown[]): Promise<void> {
    if (name === "dialog") this.dialogs += 1;
    else await Reflect.apply(this.#server?.[name] ?? (() => undefined), this.#server, args);
  }
}
