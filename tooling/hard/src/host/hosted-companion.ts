import { existsSync, readFileSync } from "node:fs";
import {
  type Clock,
  type Companion,
  createCompanion,
  createNodePlatform,
  formatLogLine,
  type LogFields,
  type Logger,
  type Platform,
} from "@patchbay/core";
import { createMemoryEditor, type MemoryDiffView, type MemoryEditor } from "@patchbay/testkit";
import type { CallTable } from "./call-table.ts";
import * as calls from "./calls.ts";

const shownCharacters = 2_000;

/** A companion on this machine's own files and sockets, with an editor in memory whose user is played from outside. */
export class HostedCompanion {
  readonly #write: (line: string) => void;
  #editor: MemoryEditor = createMemoryEditor();
  #companion: Companion | undefined;
  #clockShiftMs = 0;
  #rule: calls.Rule = { how: "leave" };

  constructor(writeLog: (line: string) => void) {
    this.#write = writeLog;
  }

  answerTo(table: CallTable): void {
    this.#answerAboutCompanion(table);
    this.#answerAboutViews(table);
    this.#answerAboutEditor(table);
  }

  #answerAboutCompanion(table: CallTable): void {
    table
      .on(calls.start, (settings) => this.#start(settings))
      .on(calls.stop, async ({ reload, comeBackMs }) => {
        await this.#running().stop({
          ...(reload === undefined ? {} : { reload }),
          ...(comeBackMs === undefined ? {} : { comeBackMs }),
        });
        return undefined;
      })
      .on(calls.state, () => this.#running().state.kind)
      .on(calls.environment, () => ({ ...this.#running().environment }))
      .on(calls.sessions, () =>
        this.#running().sessions.map(({ id, dialect, state, openProposals }) => ({
          id,
          dialect,
          state,
          openProposals,
        })),
      )
      .on(calls.proposals, () =>
        this.#running().proposals.map(({ id, sessionId, path, state, edited }) => ({
          id,
          sessionId,
          path,
          state,
          edited,
        })),
      )
      .on(calls.mention, ({ path }) => this.#running().mention(path))
      .on(calls.jumpClock, ({ ms }) => {
        this.#clockShiftMs += ms;
        return undefined;
      });
  }

  #answerAboutViews(table: CallTable): void {
    const act = (action: (view: MemoryDiffView) => void) => (input: { readonly id: string }) => {
      action(this.#view(input.id));
      return undefined;
    };
    table
      .on(calls.views, () => this.#editor.views.map(seen))
      .on(calls.type, ({ id, text }) => {
        this.#view(id).type(text);
        return undefined;
      })
      .on(
        calls.accept,
        act((view) => view.accept()),
      )
      .on(
        calls.reject,
        act((view) => view.reject()),
      )
      .on(
        calls.closeView,
        act((view) => view.closeByUser()),
      )
      .on(calls.forgetViews, () => {
        this.#editor.forgetEndedViews();
        return undefined;
      })
      .on(calls.viewText, ({ id }) => this.#view(id).text)
      .on(calls.decide, (rule) => {
        this.#rule = rule;
        return undefined;
      });
  }

  #answerAboutEditor(table: CallTable): void {
    const act =
      <Input>(action: (input: Input, editor: MemoryEditor) => void | Promise<void>) =>
      async (input: Input) => {
        await action(input, this.#editor);
        return undefined;
      };
    table
      .on(
        calls.openFile,
        act(({ path, text }, editor) => editor.openFile(path, text)),
      )
      .on(
        calls.closeFile,
        act(({ path }, editor) => editor.closeFile(path)),
      )
      .on(
        calls.makeDirty,
        act(({ path, text }, editor) => editor.makeDirty(path, text)),
      )
      .on(
        calls.select,
        act(({ toLine, toCharacter }, editor) =>
          editor.select({ start: { line: 0, character: 0 }, end: { line: toLine, character: toCharacter } }),
        ),
      )
      .on(
        calls.setCursor,
        act((at, editor) => editor.setCursor(at)),
      )
      .on(
        calls.holdArrowKey,
        act(({ everyMs, forMs }, editor) => holdArrowKey(editor, everyMs, forMs)),
      )
      .on(
        calls.repeatSelection,
        act(({ times }, editor) => repeatSelection(editor, times)),
      )
      .on(
        calls.setFolders,
        act(({ folders }, editor) => editor.setFolders(folders)),
      )
      .on(
        calls.fail,
        act(({ call, times }, editor) =>
          editor.fail(call, new Error("The editor broke.\n    at Widget.open (/opt/editor/lib.js:1:2)"), times),
        ),
      )
      .on(calls.messages, () =>
        this.#editor.shownMessages.map(({ message }) => ({ code: message.code, text: message.text })),
      )
      .on(
        calls.answerMessage,
        act(async ({ code, action }, editor) => (await editor.messages.next(code)).answer(action)),
      )
      .on(calls.keptTexts, async () => {
        const companion = this.#running();
        const texts = await Promise.all(companion.keptTexts.map(({ id }) => companion.readKeptText(id)));
        return texts.filter((text) => text !== undefined);
      })
      .on(calls.untitled, () => this.#editor.untitled.map(({ text }) => text));
  }

  async #start(settings: calls.HostSettings): Promise<calls.Listening> {
    const editor = createMemoryEditor({
      folders: settings.folders,
      ...(settings.storage === undefined ? {} : { storageDirectory: settings.storage }),
      readDisk: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
    });
    this.#editor = editor;
    this.#letRuleDecide(editor);
    const companion = createCompanion({
      host: editor,
      platform: this.#platform(),
      logger: this.#logger(),
      settings: { exclude: settings.exclude ?? [] },
    });
    this.#companion = companion;
    await companion.start();
    const { state } = companion;
    if (state.kind !== "listening") throw new Error(`The companion is ${state.kind}.`);
    return { port: state.port, warnings: [...state.warnings] };
  }

  #letRuleDecide(editor: MemoryEditor): void {
    const open = editor.diffs.open.bind(editor.diffs);
    Object.assign(editor.diffs, {
      open: async (...given: Parameters<typeof open>): ReturnType<typeof open> => {
        const opening = await open(...given);
        const view = editor.views.findLast((one) => one.request.id === given[0].id && one.isOpen);
        if (view !== undefined) decide(view, this.#rule);
        return opening;
      },
    });
  }

  #platform(): Platform {
    const platform = createNodePlatform();
    const clock: Clock = { ...platform.clock, now: () => platform.clock.now() + this.#clockShiftMs };
    return { ...platform, clock };
  }

  #logger(): Logger {
    const level =
      (name: string) =>
      (message: string, fields?: LogFields): void =>
        this.#write(`${name} ${formatLogLine(message, fields)}`);
    return { debug: level("debug"), info: level("info"), warn: level("warn"), error: level("error") };
  }

  #running(): Companion {
    if (this.#companion === undefined) throw new Error("The companion was not started.");
    return this.#companion;
  }

  #view(id: string): MemoryDiffView {
    const views = this.#editor.views.filter((one) => one.request.id === id);
    const view = views.find((one) => one.isOpen) ?? views.at(-1);
    if (view === undefined) throw new Error(`There is no view ${id}.`);
    return view;
  }
}

async function holdArrowKey(editor: MemoryEditor, everyMs: number, forMs: number): Promise<void> {
  const end = performance.now() + forMs;
  for (let line = 0; performance.now() < end; line += 1) {
    editor.setCursor({ line, character: 0 });
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

async function repeatSelection(editor: MemoryEditor, times: number): Promise<void> {
  const active = editor.editors.active();
  for (let time = 0; time < times; time += 1) {
    if (active !== undefined) editor.setCursor(active.cursor);
    // Longer than the longest wait before an update, so that each report is weighed by itself.
    await new Promise((resolve) => setTimeout(resolve, 120));
  }
}

/** The user reads, perhaps types, and answers. */
function decide(view: MemoryDiffView, rule: calls.Rule): void {
  const verdict = rule.how === "as-told" ? verdictIn(view.request.proposedText) : rule.how;
  if (verdict === "leave") return;
  const answer = (): void => (verdict === "reject" ? view.reject() : view.accept());
  const spanMs = Math.random() * (rule.delayMs ?? 0);
  if (verdict !== "edit" || view.edited) {
    setTimeout(answer, spanMs);
    return;
  }
  // One after the other: two timers that are due in one moment run in any order.
  setTimeout(() => {
    view.type(`${view.request.proposedText}edited\n`);
    setTimeout(answer, spanMs / 2);
  }, spanMs / 2);
}

function verdictIn(text: string): calls.Verdict | "leave" {
  const [word] = text.split(" ", 1);
  return word === "accept" || word === "reject" || word === "edit" ? word : "leave";
}

function seen(view: MemoryDiffView): calls.ViewSeen {
  return {
    id: view.request.id,
    path: view.request.path,
    agentName: view.request.agentName,
    state: view.state.kind,
    ...(view.state.kind === "withdrawn" ? { reason: view.state.reason } : {}),
    agentPresent: view.agentPresent,
    text: view.text.slice(0, shownCharacters),
    draft: view.request.draftText !== undefined,
  };
}
