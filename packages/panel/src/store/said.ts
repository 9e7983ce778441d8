import { useMemo } from "preact/hooks";
import { sentenceMark } from "../strings.ts";
import { useSelected } from "./use-panel.ts";

/** Shows what was said, in the user's language where it is a sentence of Patchbay's. */
export type Said = (text: string) => string;

/** By the texts that the host has sent. A value in a sentence may be such a sentence again. */
export function saidIn(strings: Readonly<Record<string, string>>): Said {
  const known = Object.entries(strings).flatMap(([key, shown]) =>
    key.startsWith(sentenceMark) ? [{ pattern: patternOf(key.slice(sentenceMark.length)), shown }] : [],
  );
  const said: Said = (text) => {
    for (const { pattern, shown } of known) {
      const [, ...values] = pattern.exec(text) ?? [];
      if (pattern.test(text))
        return shown.replaceAll(/\{(\d)\}/gu, (_place, index) => said(values[Number(index)] ?? ""));
    }
    return text;
  };
  return said;
}

function patternOf(sentence: string): RegExp {
  const parts = sentence.split(/\{\d\}/u).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`));
  return new RegExp(`^${parts.join("(.+?)")}$`, "su");
}

/** Shows a sentence of Patchbay's in the user's language, and anything else as it is. */
export function useSaid(): Said {
  const strings = useSelected((state) => state.strings);
  return useMemo(() => saidIn(strings), [strings]);
}
