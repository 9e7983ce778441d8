import { type Context, createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { StringKey } from "../strings.ts";
import type { PanelEvent, PanelState, PanelStore } from "./store.ts";

/** The store, for everything that is drawn. */
export const PanelContext: Context<PanelStore | undefined> = createContext<PanelStore | undefined>(undefined);

export function usePanel(): PanelStore {
  const store = useContext(PanelContext);
  if (store === undefined) throw new Error("Nothing is drawn outside the panel.");
  return store;
}

/** A part of the state; what uses it is drawn again when that part is another one. */
export function useSelected<Value>(select: (state: PanelState) => Value): Value {
  const store = usePanel();
  const [, setVersion] = useState(0);
  const value = select(store.state);
  const latest = useRef({ select, value });
  latest.current = { select, value };
  useLayoutEffect(() => {
    const check = (): void => {
      const { select: selectNow, value: before } = latest.current;
      if (!Object.is(selectNow(store.state), before)) setVersion((version) => version + 1);
    };
    check();
    return store.subscribe(check);
  }, [store]);
  return value;
}

export function usePanelEvent(listener: (event: PanelEvent) => void): void {
  const store = usePanel();
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => store.onEvent((event) => latest.current(event)), [store]);
}

/** Gives a text of the page in the user's language. */
export type Words = (key: StringKey, values?: Readonly<Record<string, string | number>>) => string;

export function wordsOf(strings: Readonly<Record<string, string>>): Words {
  return (key, values) =>
    (strings[key] ?? key).replaceAll(/\{(\w+)\}/gu, (whole, name: string) => isolated(String(values?.[name] ?? whole)));
}

/** Whether a text has letters that are written from right to left: Hebrew, Arabic, and the scripts beside them. */
export function isRightToLeft(text: string): boolean {
  return /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}]/u.test(text);
}

/** A value that moves nothing around it in its sentence, and whose names stay in their order if it is a path. */
function isolated(value: string): string {
  return isRightToLeft(value) ? `\u2066${value.replaceAll(/[/\\]/gu, "$&\u200e")}\u2069` : value;
}

export function useWords(): Words {
  const strings = useSelected((state) => state.strings);
  const kept = useRef<{ readonly strings: PanelState["strings"]; readonly words: Words } | undefined>(undefined);
  if (kept.current?.strings !== strings) kept.current = { strings, words: wordsOf(strings) };
  return kept.current.words;
}

/** The name of the agent of the open conversation. */
export function useAgentName(): string {
  return useSelected(({ open, agents }) => agents.find(({ id }) => id === open?.agent)?.name ?? open?.agent ?? "");
}
