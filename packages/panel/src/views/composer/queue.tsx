import type { JSX } from "preact";
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
  if (queue.length === 0) return undefined;
  return (
    <section class="queue" aria-label={words("queue.title")}>
      <ol>
        {queue.map(({ id, blocks }, index) => (
          <li key={id}>
            <span class="queue-mark" aria-hidden="true">
              {index + 1}
            </span>
            <span class="queue-text">{blocks.map(chipLabel).join(" · ")}</span>
            <span class="queue-actions">
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
                  panel.emit({ type: "insert", blocks });
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
