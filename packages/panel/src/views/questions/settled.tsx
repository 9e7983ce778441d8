import type { QuestionEntry, QuestionOutcome } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useWords } from "../../store/use-panel.ts";
import { Icon } from "../widgets/icon.tsx";
import { visibleLine } from "../widgets/visible-text.ts";

/** A question that has ended, in one line. */
export function SettledView({
  entry: { question },
  outcome,
}: {
  readonly entry: QuestionEntry;
  readonly outcome: QuestionOutcome;
}): JSX.Element {
  const words = useWords();
  const title = question.type === "permission" ? question.title : question.type === "form" ? question.message : "";
  const isAllowed = outcome.type === "answered" && outcome.isAllowed;
  const summary = outcome.type === "withdrawn" ? words("ask.withdrawn") : outcome.summary;
  const edited = outcome.type === "answered" && outcome.isEdited === true ? ` (${words("ask.edited")})` : "";
  return (
    <div class={`settled ${isAllowed ? "allowed" : "refused"}`}>
      <Icon name={isAllowed ? "check" : outcome.type === "withdrawn" ? "dash" : "close"} />
      <p>
        {title === "" ? undefined : <span class="settled-title">{visibleLine(title)}</span>}
        <span class="settled-answer">
          {visibleLine(summary)}
          {edited}
        </span>
      </p>
    </div>
  );
}
