import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { chipLabel } from "../widgets/chip-words.ts";
import { isBusy } from "./composer.tsx";
import { IconButton } from "../widgets/icon.tsx";

/** Prompts that wait for their turn. One can be taken back while nothing else is being written. */
export function Queue({
  conversation,
  isEmpty,
}: {
  readonly conversation: string;
  readonly isEmpty: boolean;
}): JSX.Element | undefined {
  const words = useWords();
  const panel = usePanel();
  const isRunning = useSelected(({ open }) => isBusy(open?.state.kind));
  const queue = useSelected((state) => state.open?.queue) ?? [];
  const list = useRef<HTMLOListElement>(null);
  /** What the user has moved: its place in the document is another one, and the focus would be lost on the way. */
  const moved = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const index = queue.findIndex(({ id }) => id === moved.current);
    moved.current = undefined;
    if (index >= 0) list.current?.children[index]?.querySelector("button")?.focus();
  }, [queue]);
  if (queue.length === 0) return undefined;
  return (
    <section class="queue" aria-label={words("queue.title")}>
      <ol ref={list}>
        {queue.map(({ id, blocks }, index) => (
          <li key={id}>
            <span class="queue-mark" aria-hidden="true">
              {index + 1}
            </span>
            <span class="queue-text" dir="auto">
              {blocks.map(chipLabel).join(" · ")}
            </span>
            <span class="queue-actions">
              {index === 0 ? undefined : (
                <IconButton
                  icon="chevron"
                  class="queue-earlier"
                  label={words("queue.earlier")}
                  onClick={() => {
                    moved.current = id;
                    panel.post({ type: "queue", conversation, id, action: "earlier" });
                  }}
                />
              )}
              <IconButton
                icon="arrowUp"
                label={words(isRunning ? "queue.now" : "compose.send")}
                onClick={() => panel.post({ type: "queue", conversation, id, action: "send-now" })}
              />
              <IconButton
                icon="edit"
                label={words(isEmpty ? "queue.edit" : "queue.editLater")}
                isDisabled={!isEmpty}
                onClick={() => {
                  panel.post({ type: "queue", conversation, id, action: "edit" });
                  panel.emit({ type: "insert", blocks, before: queue.slice(index + 1).map((one) => one.id) });
                }}
              />
              <IconButton
                icon="close"
                label={words("queue.remove")}
                onClick={() => panel.post({ type: "queue", conversation, id, action: "remove" })}
              />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
