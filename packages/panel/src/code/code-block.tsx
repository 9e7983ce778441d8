import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { LoadLater } from "../store/load-later.ts";
import { usePanel, useWords } from "../store/use-panel.ts";
import { CopyButton } from "../views/widgets/copy-button.tsx";
import { IconButton } from "../views/widgets/icon.tsx";
import { pure } from "../views/widgets/pure.tsx";
import { visibleText } from "../views/widgets/visible-text.ts";
import type { CodePiece } from "./highlighter.ts";

/** Lines that are drawn as one: a long code that grows is drawn again at its end only. */
const chunkLines = 60;

const Chunk = pure(({ text }: { readonly text: string }) => <span class="chunk">{visibleText(text)}</span>);

function chunksOf(code: string): readonly string[] {
  const lines = code.split("\n");
  const chunks: string[] = [];
  for (let index = 0; index < lines.length; index += chunkLines) {
    const isLast = index + chunkLines >= lines.length;
    chunks.push(lines.slice(index, index + chunkLines).join("\n") + (isLast ? "" : "\n"));
  }
  return chunks;
}

/** Class names that the style sheet knows; scopes are names like `title.function`. */
function scopeClass(scope: string): string {
  return `hl ${scope
    .split(".")
    .map((part) => `hl-${part.replaceAll(/[^\w-]/gu, "")}`)
    .join(" ")}`;
}

function Pieces({ pieces }: { readonly pieces: readonly CodePiece[] }): JSX.Element {
  return (
    <>
      {pieces.map(({ text, scope }) =>
        scope === undefined ? visibleText(text) : <span class={scopeClass(scope)}>{visibleText(text)}</span>,
      )}
    </>
  );
}

/** Code of a message, with what can be done with it. */
export function CodeBlock({
  code,
  language,
  isFinished,
}: {
  readonly code: string;
  readonly language: string;
  readonly isFinished: boolean;
}): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const element = useRef<HTMLPreElement>(null);
  const pieces = useHighlighted(element, code, language, isFinished);
  return (
    <figure class="code" aria-label={language === "" ? words("code.plain") : words("code.label", { language })}>
      <figcaption class="code-head">
        <span class="code-language">{language}</span>
        <span class="code-actions">
          <CopyButton label={words("code.copy")} text={() => code} />
          <IconButton
            icon="insert"
            label={words("code.insert")}
            onClick={() => panel.post({ type: "insert-text", text: code })}
          />
          <IconButton
            icon="open"
            label={words("code.open")}
            onClick={() => panel.post({ type: "open-text", text: code, language })}
          />
        </span>
      </figcaption>
      <pre ref={element} tabIndex={0} dir="ltr">
        <code>
          {pieces === undefined ? (
            chunksOf(code).map((text, index) => <Chunk key={index} text={text} />)
          ) : (
            <Pieces pieces={pieces} />
          )}
        </code>
      </pre>
    </figure>
  );
}

/** Larger code stays plain: it would hold up the page. */
const largest = 40_000;

/** Asked for with the first code that is seen. */
const highlighter = new LoadLater(async () => await import("./highlighter.ts"));

/** One observer for all; what has been seen once is not watched any more. */
const seen = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | undefined;

function whenSeen(element: Element, callback: () => void): () => void {
  observer ??= new IntersectionObserver(
    (changes) => {
      for (const { isIntersecting, target } of changes) {
        if (!isIntersecting) continue;
        observer?.unobserve(target);
        seen.get(target)?.();
      }
    },
    { rootMargin: "200px" },
  );
  seen.set(element, callback);
  observer.observe(element);
  return () => observer?.unobserve(element);
}

const idle = (callback: () => void): void => {
  if (typeof requestIdleCallback === "function") requestIdleCallback(callback, { timeout: 500 });
  else setTimeout(callback, 0);
};

/** The pieces of a finished code, once it has been seen; until then, or if its language is not known, undefined. */
function useHighlighted(
  element: { readonly current: Element | null },
  code: string,
  language: string,
  isFinished: boolean,
): readonly CodePiece[] | undefined {
  const [pieces, setPieces] = useState<readonly CodePiece[] | undefined>(undefined);
  useEffect(() => {
    setPieces(undefined);
    const { current } = element;
    if (!isFinished || current === null || language === "" || code.length > largest) return undefined;
    let isWanted = true;
    let leave = (): void => undefined;
    const stop = whenSeen(current, () => {
      leave = highlighter.whenLoaded(() =>
        idle(() => isWanted && setPieces(highlighter.value?.highlight(code, language))),
      );
    });
    return () => {
      isWanted = false;
      stop();
      leave();
    };
  }, [code, language, isFinished]);
  return pieces;
}
