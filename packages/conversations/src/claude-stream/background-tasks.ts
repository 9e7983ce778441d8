import type { BackgroundTask, SessionUpdate } from "../model/index.ts";
import type { TaskMessage } from "./codec.ts";
import type { ToolUses } from "./tool-uses.ts";

export interface BackgroundTaskSink {
  now(): number;
  update(update: SessionUpdate): void;
}

const kinds: Readonly<Record<string, BackgroundTask["kind"]>> = { local_agent: "subagent", local_bash: "command" };

/**
 * What goes on beside the turns: subagents and commands that a tool has started and does not wait for. Nobody interrupts them but
 * by their own ids, and they end with the process.
 */
export class BackgroundTasks {
  readonly #sink: BackgroundTaskSink;
  readonly #tools: ToolUses;
  #tasks: readonly BackgroundTask[] = [];

  constructor(sink: BackgroundTaskSink, tools: ToolUses) {
    this.#sink = sink;
    this.#tools = tools;
  }

  hear(message: TaskMessage): void {
    switch (message.subtype) {
      case "background_tasks_changed":
        return this.#replace(
          message.tasks.map(({ task_id: id, description, task_type: type = "" }) => {
            const known = this.#tasks.find((task) => task.id === id);
            const kind = kinds[type] ?? "other";
            return known ?? { id, kind, title: description ?? "", since: this.#sink.now() };
          }),
        );
      case "task_started":
        // Its result says only that it was started.
        if (message.is_backgrounded === true && message.tool_use_id !== undefined) {
          this.#tools.goesOn(message.tool_use_id);
        }
        return;
      case "task_notification":
        if (message.tool_use_id !== undefined) {
          this.#tools.finishLater(message.tool_use_id, message.status, message.summary ?? "");
        }
        return;
    }
  }

  /** The process has ended. */
  end(): void {
    if (this.#tasks.length > 0) this.#replace([]);
  }

  #replace(tasks: readonly BackgroundTask[]): void {
    this.#tasks = tasks;
    this.#sink.update({ type: "tasks", tasks });
  }
}
