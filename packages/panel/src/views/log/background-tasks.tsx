import type { BackgroundTask } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { formatDuration } from "../widgets/format.ts";
import { IconButton } from "../widgets/icon.tsx";
import { visibleLine } from "../widgets/visible-text.ts";
import { useNow } from "./status-row.tsx";

/** What the agent goes on with beside its turns, as long as it does. */
export function BackgroundTasks({ conversation }: { readonly conversation: string }): JSX.Element | undefined {
  const words = useWords();
  const tasks = useSelected((state) => state.open?.tasks) ?? [];
  if (tasks.length === 0) return undefined;
  return (
    <section class="tasks" aria-label={words("tasks.title")}>
      <p class="note">{words("tasks.title")}</p>
      <ul class="plain">
        {tasks.map((task) => (
          <Task key={task.id} conversation={conversation} task={task} />
        ))}
      </ul>
    </section>
  );
}

function Task({
  conversation,
  task: { id, kind, title, since },
}: {
  readonly conversation: string;
  readonly task: BackgroundTask;
}): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const name = title === "" ? words(`tasks.${kind}`) : visibleLine(title);
  return (
    <li>
      <span class="spinner" aria-hidden="true" />
      <span class="task-title" dir="auto" title={name}>
        {name}
      </span>
      <span class="note">{formatDuration(Math.max(0, useNow() - since), words)}</span>
      <IconButton
        icon="stop"
        class="stop"
        label={words("tasks.stop", { name })}
        onClick={() => panel.post({ type: "stop-task", conversation, id })}
      />
    </li>
  );
}
