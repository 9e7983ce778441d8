import type {
  Entry,
  MessageEntry,
  NoticeEntry,
  PlacedEntry,
  PlanEntry,
  QuestionEntry,
  QuestionOutcome,
  ThoughtEntry,
  TurnEndEntry,
} from "@patchbay/conversations/model";
import type { ComponentType, JSX } from "preact";
import { useState } from "preact/hooks";
import { Markdown } from "../../markdown/markdown.tsx";
import { useAgentName, usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { Boundary } from "../widgets/boundary.tsx";
import { CopyButton } from "../widgets/copy-button.tsx";
import { Icon, IconButton } from "../widgets/icon.tsx";
import { type Later, later } from "../widgets/later.tsx";
import { pure } from "../widgets/pure.tsx";
import { PromptView } from "./prompt.tsx";
import { ToolView } from "./tool.tsx";

export const NoticeView: Later<{ readonly entry: NoticeEntry }> = later();
export const PlanView: Later<{ readonly entry: PlanEntry }> = later();
export const TurnEndView: Later<{ readonly entry: TurnEndEntry }> = later();
export const OpenQuestion: Later<{ readonly entry: QuestionEntry }> = later();
export const SettledQuestion: Later<{ readonly entry: QuestionEntry; readonly outcome: QuestionOutcome }> = later();

/** One entry at its place. `isFirstReply`: the agent's first one after a prompt, which has the agent's name as heading. */
export const EntryView: ComponentType<{
  readonly entry: Entry;
  readonly place: number;
  readonly nested: readonly PlacedEntry[] | undefined;
  readonly isFirstReply: boolean;
}> = pure(({ entry, place, nested, isFirstReply }) => {
  const words = useWords();
  return (
    <div class={`entry entry-${entry.kind}`} data-place={place} data-id={entry.id}>
      {isFirstReply ? <AgentHeading /> : undefined}
      <Boundary instead={<p class="note">{words("entry.failed")}</p>}>
        <OneEntry entry={entry} nested={nested} />
      </Boundary>
    </div>
  );
});

function AgentHeading(): JSX.Element {
  return <h2 class="sr-only">{useAgentName()}</h2>;
}

function OneEntry({
  entry,
  nested,
}: {
  readonly entry: Entry;
  readonly nested: readonly PlacedEntry[] | undefined;
}): JSX.Element | undefined {
  switch (entry.kind) {
    case "prompt":
      return <PromptView entry={entry} />;
    case "message":
      return <MessageView entry={entry} />;
    case "thought":
      return <ThoughtView entry={entry} />;
    case "tool":
      return <ToolView entry={entry} nested={nested} Nested={NestedEntries} />;
    case "plan":
      return <PlanView entry={entry} />;
    case "question":
      return entry.outcome === undefined ? (
        <OpenQuestion entry={entry} />
      ) : (
        <SettledQuestion entry={entry} outcome={entry.outcome} />
      );
    case "notice":
      return <NoticeView entry={entry} />;
    case "turn-end":
      return <TurnEndView entry={entry} />;
  }
}

/** What a subagent did. */
function NestedEntries({ entries }: { readonly entries: readonly PlacedEntry[] }): JSX.Element {
  return (
    <>
      {entries.map(({ place, entry }) => (
        <EntryView key={entry.id} place={place} entry={entry} nested={undefined} isFirstReply={false} />
      ))}
    </>
  );
}

function MessageView({ entry }: { readonly entry: MessageEntry }): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const conversation = useSelected((state) => state.open?.id);
  return (
    <div class="message">
      <Markdown text={entry.text} isComplete={entry.isComplete} />
      {entry.isComplete && conversation !== undefined ? (
        <div class="entry-actions" role="group" aria-label={words("message.actions")}>
          <CopyButton label={words("message.copy")} text={() => entry.text} />
          <IconButton
            icon="open"
            label={words("message.markdown")}
            onClick={() => panel.post({ type: "open-entry", conversation, entry: entry.id })}
          />
        </div>
      ) : undefined}
    </div>
  );
}

/** Folded from the start, and open only if the user opens it. */
function ThoughtView({ entry }: { readonly entry: ThoughtEntry }): JSX.Element {
  const words = useWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="thought">
      <button type="button" class="tool-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="thought" />
        <span class="tool-title">{words(entry.isComplete ? "thought.done" : "thought.running")}</span>
        <Icon name="chevron" class={`chevron ${isOpen ? "open" : ""}`} />
      </button>
      {isOpen ? (
        <div class="thought-text">
          <Markdown text={entry.text} isComplete={entry.isComplete} />
        </div>
      ) : undefined}
    </div>
  );
}
