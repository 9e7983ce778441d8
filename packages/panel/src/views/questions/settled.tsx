import { type FormQuestion, type QuestionEntry, type QuestionOutcome, titleOf } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Markdown } from "../../markdown/markdown.tsx";
import { useWords } from "../../store/use-panel.ts";
import { Icon } from "../widgets/icon.tsx";
import { visibleLine } from "../widgets/visible-text.ts";

/** A question that has ended: what was asked, and the answer. */
export function SettledView({
  entry: { question },
  outcome,
}: {
  readonly entry: QuestionEntry;
  readonly outcome: QuestionOutcome;
}): JSX.Element {
  const words = useWords();
  const title = question.type === "plan" ? "" : titleOf(question);
  const isAllowed = outcome.type === "answered" && outcome.isAllowed;
  const summary = outcome.type === "withdrawn" ? words("ask.withdrawn") : outcome.summary;
  const edited = outcome.type === "answered" && outcome.isEdited === true ? ` (${words("ask.edited")})` : "";
  const answers = question.type === "form" && isAllowed ? answersIn(question, summary) : undefined;
  return (
    <div class={`settled ${isAllowed ? "allowed" : "refused"}`}>
      <Icon name={isAllowed ? "check" : outcome.type === "withdrawn" ? "dash" : "close"} />
      <div class="settled-text">
        {answers === undefined ? (
          <p>
            {title === "" ? undefined : (
              <span class="settled-title" dir="auto">
                {visibleLine(title)}
              </span>
            )}
            <span class="settled-answer" dir="auto">
              {visibleLine(summary)}
              {edited}
            </span>
          </p>
        ) : (
          answers.map(({ label, answer }, index) => (
            <p key={index} dir="auto">
              <span class="settled-label">{visibleLine(label)}</span>
              <span class="settled-answer" dir="auto">
                {visibleLine(answer)}
              </span>
            </p>
          ))
        )}
        {question.type === "plan" && question.plan !== "" ? <SettledPlan plan={question.plan} /> : undefined}
      </div>
    </div>
  );
}

/** What was planned is read again while it is carried out. */
function SettledPlan({ plan }: { readonly plan: string }): JSX.Element {
  const words = useWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="text-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {words(isOpen ? "plan.hide" : "plan.show")}
      </button>
      {isOpen ? (
        <div class="settled-plan">
          <Markdown text={plan} isComplete />
        </div>
      ) : undefined}
    </>
  );
}

interface GivenAnswer {
  readonly label: string;
  readonly answer: string;
}

/** Which answer was given to which field; a text of several lines goes on in those that begin with no label. */
function answersIn({ fields, message }: FormQuestion, summary: string): readonly GivenAnswer[] {
  const answers: GivenAnswer[] = message === "" ? [] : [{ label: message, answer: "" }];
  let next = 0;
  for (const line of summary.split("\n")) {
    const at = fields.findIndex(({ label }, index) => index >= next && line.startsWith(label));
    const label = fields[at]?.label ?? "";
    const last = answers.at(-1);
    if (at >= 0) {
      answers.push({ label, answer: line.slice(label.length).replace(/^:? /u, "") });
      next = at + 1;
    } else if (last === undefined || (answers.length === 1 && message !== ""))
      answers.push({ label: "", answer: line });
    else answers[answers.length - 1] = { ...last, answer: `${last.answer} ${line}` };
  }
  return answers;
}
