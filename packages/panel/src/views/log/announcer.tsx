import { type ConversationSnapshot, type Entry, titleOf } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAgentName, usePanel, useWords, type Words } from "../../store/use-panel.ts";

/** How often something is said at most, ms: a reader would cut itself off. */
const pause = 1500;

/** Whole sentences at the beginning of a text: up to the last end of one. */
export function wholeSentences(text: string): string {
  const ends = [...text.matchAll(/[.!?:…。！？](?=["'”’)]?\s)|\n/gu)];
  const last = ends.at(-1);
  return last === undefined ? "" : text.slice(0, last.index + 1);
}

/** Markdown as somebody would read it out. */
function spoken(text: string): string {
  return text
    .replaceAll(/^\s*(?:`{3,}|~{3,}).*$/gmu, "")
    .replaceAll(/[*_`#>|]+/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
}

/** Tells a screen reader politely what is new: sentences as they are complete, questions, and the end of a turn. */
export class Narrator {
  readonly #said = new Map<string, number>();
  readonly #words: Words;
  readonly #agent: string;

  /** What is there already is not told. */
  constructor(open: ConversationSnapshot, words: Words, agent: string) {
    this.#words = words;
    this.#agent = agent;
    for (const { entry } of open.entries) this.#said.set(entry.id, lengthOf(entry));
  }

  /** What is to be said now. */
  listen(open: ConversationSnapshot): string {
    const recent = open.entries.slice(-40);
    return recent.flatMap(({ entry }) => this.#news(entry) ?? []).join(" ");
  }

  #news(entry: Entry): string | undefined {
    const said = this.#said.get(entry.id);
    const agent = this.#agent;
    if (entry.kind === "message" && entry.parent === undefined) {
      const rest = entry.text.slice(said ?? 0);
      const next = entry.isComplete ? rest : wholeSentences(rest);
      this.#said.set(entry.id, (said ?? 0) + next.length);
      const text = spoken(next);
      return text === "" ? undefined : text;
    }
    if (said !== undefined) return undefined;
    this.#said.set(entry.id, lengthOf(entry));
    if (entry.kind === "question" && entry.outcome === undefined) {
      const { question } = entry;
      const title = question.type === "plan" ? this.#words("ask.plan", { agent }) : titleOf(question);
      return this.#words("ask.announce", { agent, title });
    }
    if (entry.kind === "notice") return entry.text;
    if (entry.kind === "turn-end") {
      return this.#words(entry.reason === "done" ? "announce.done" : "announce.stopped", { agent });
    }
    return undefined;
  }
}

const lengthOf = (entry: Entry): number => (entry.kind === "message" ? entry.text.length : 0);

export function Announcer(): JSX.Element {
  const panel = usePanel();
  const words = useWords();
  const agent = useAgentName();
  const [said, setSaid] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    let narrator: { readonly of: string; readonly it: Narrator } | undefined;
    const listen = (): void => {
      timer.current = undefined;
      const { open } = panel.state;
      if (open === undefined) return;
      if (narrator?.of !== open.id) narrator = { of: open.id, it: new Narrator(open, words, agent) };
      const text = narrator.it.listen(open);
      if (text !== "") setSaid(text);
    };
    listen();
    const stop = panel.subscribe(() => {
      timer.current ??= setTimeout(listen, pause);
    });
    return () => {
      stop();
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [panel, words, agent]);
  return (
    <div class="sr-only" role="status" aria-live="polite">
      {said}
    </div>
  );
}
