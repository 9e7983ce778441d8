import type {
  Answer,
  Choice,
  PermissionQuestion,
  PlacedEntry,
  PlanQuestion,
  QuestionEntry,
  ToolEntry,
} from "@patchbay/conversations/model";
import type { ComponentChildren, ComponentType, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Markdown } from "../../markdown/markdown.tsx";
import { useAgentName, usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { DiffCounts, DiffView } from "../widgets/diff-parts.ts";
import { Icon } from "../widgets/icon.tsx";
import { isInside, shownPath, useFolders } from "../widgets/paths.ts";
import { pure } from "../widgets/pure.tsx";
import { PathText } from "../widgets/path-text.tsx";
import { TextBox } from "../widgets/text-box.tsx";
import { visibleLine } from "../widgets/visible-text.ts";
import { FormView } from "./form.tsx";

/** Lines of a change that are shown in a question: all that a person would read there. */
const diffLimit = 400;

/** How long an answer may be on its way, ms. A question that is still open then was not settled, and can be answered again. */
const answerTime = 3000;

/** An open question in the flow of the conversation. It takes no focus. */
export const OpenQuestion: ComponentType<{ readonly entry: QuestionEntry }> = pure(({ entry }) => {
  const { question } = entry;
  switch (question.type) {
    case "permission":
      return <PermissionView entry={entry} question={question} />;
    case "plan":
      return <PlanView entry={entry} question={question} />;
    case "form":
      return (
        <Card entry={entry} titleKey="ask.form">
          {(answer) => <FormView question={question} answer={answer} />}
        </Card>
      );
  }
});

/** What all questions have: a frame, a title, and one answer. */
function Card({
  entry,
  titleKey,
  children,
}: {
  readonly entry: QuestionEntry;
  readonly titleKey: "ask.permission" | "ask.form" | "ask.plan";
  readonly children: (answer: (answer: Answer) => () => void, isSent: boolean) => ComponentChildren;
}): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const agent = useAgentName();
  const conversation = useSelected((state) => state.open?.id);
  const { guarded, onKeyDown } = useGuard();
  const [isSent, setSent] = useState(false);
  const title = useId();
  useEffect(() => {
    if (!isSent) return undefined;
    const timer = setTimeout(() => setSent(false), answerTime);
    return () => clearTimeout(timer);
  }, [isSent]);
  const answer = (given: Answer): (() => void) =>
    guarded(() => {
      if (isSent || conversation === undefined) return;
      setSent(true);
      panel.post({ type: "answer", conversation, id: entry.id, answer: given });
      // The buttons go away: the focus that was on one of them goes back to where the user writes.
      panel.emit({ type: "command", command: "focus" });
    });
  return (
    <section
      class="card question"
      aria-labelledby={title}
      data-question={entry.id}
      aria-busy={isSent}
      onKeyDown={onKeyDown}
    >
      <div class="card-head">
        <Icon name="question" />
        <h3 class="card-title" id={title}>
          {words(titleKey, { agent })}
        </h3>
      </div>
      {children(answer, isSent)}
    </section>
  );
}

function PermissionView({
  entry,
  question,
}: {
  readonly entry: QuestionEntry;
  readonly question: PermissionQuestion;
}): JSX.Element {
  const words = useWords();
  const { title, reason, command, input } = question;
  return (
    <Card entry={entry} titleKey="ask.permission">
      {(answer, isSent) => (
        <>
          <div class="question-body">
            <p class="question-title" dir="auto">
              {visibleLine(title)}
            </p>
            {reason === undefined ? undefined : (
              <p class="note" dir="auto">
                {reason}
              </p>
            )}
            <OutsidePaths question={question} />
            {command === undefined ? undefined : <TextBox label={words("ask.command")} text={command} isCommand />}
            {input === undefined ? undefined : <TextBox label={words("ask.input")} text={input} />}
            <ProposedChange entry={entry} question={question} />
          </div>
          <Answers choices={question.choices} answer={answer} isSent={isSent} />
        </>
      )}
    </Card>
  );
}

/** What the tool would touch outside the workspace. */
function OutsidePaths({ question }: { readonly question: PermissionQuestion }): JSX.Element | undefined {
  const words = useWords();
  const folders = useFolders();
  const tool = useSelected(({ open }) => toolOf(open?.entries ?? [], question.toolId));
  const paths = [...(tool?.locations ?? []), ...(tool?.changes ?? [])].map(({ path }) => path);
  const outside = new Set(paths.filter((path) => path !== question.change?.path && !isInside(path, folders)));
  if (outside.size === 0) return undefined;
  return (
    <ul class="plain outside">
      {Array.from(outside, (path) => (
        <li key={path}>
          <span class="badge warning">{words("ask.outside")}</span>{" "}
          <span class="change-path" dir="ltr">
            <PathText path={path} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function toolOf(entries: readonly PlacedEntry[], id: string): ToolEntry | undefined {
  const found = entries.findLast(({ entry }) => entry.id === id)?.entry;
  return found?.kind === "tool" ? found : undefined;
}

function ProposedChange({
  entry,
  question: { change },
}: {
  readonly entry: QuestionEntry;
  readonly question: PermissionQuestion;
}): JSX.Element | undefined {
  const words = useWords();
  const panel = usePanel();
  const folders = useFolders();
  const conversation = useSelected((state) => state.open?.id);
  if (change === undefined) return undefined;
  const path = shownPath(change.path, folders);
  return (
    <div class="change">
      <div class="change-head">
        <span class="change-path" title={visibleLine(change.path)}>
          <PathText path={path} />
        </span>
        {isInside(change.path, folders) ? undefined : <span class="badge warning">{words("ask.outside")}</span>}
        <DiffCounts change={change} />
        <button
          type="button"
          class="text-button"
          onClick={() =>
            conversation && panel.post({ type: "open-diff", conversation, entry: entry.id, path: change.path })
          }
        >
          {words("ask.review")}
        </button>
      </div>
      <DiffView change={change} path={visibleLine(path)} limit={diffLimit} />
      {change.isEditable ? undefined : <p class="note">{words("ask.readOnly")}</p>}
    </div>
  );
}

function PlanView({
  entry,
  question,
}: {
  readonly entry: QuestionEntry;
  readonly question: PlanQuestion;
}): JSX.Element {
  return (
    <Card entry={entry} titleKey="ask.plan">
      {(answer, isSent) => (
        <>
          <div class="question-body">
            <Markdown text={question.plan} isComplete />
          </div>
          <Answers choices={question.choices} answer={answer} isSent={isSent} />
        </>
      )}
    </Card>
  );
}

const isAllowing = ({ kind }: Choice): boolean => kind === "allow-once" || kind === "allow-always";

/**
 * The agent's own answers, as editors order theirs: Yes, then No, then what allows more than this. No is always among them. What a person
 * means is the button that stands out: Yes, and No once a reason is written. No key answers that was not pressed in here (`useGuard`).
 */
function Answers({
  choices,
  answer,
  isSent,
}: {
  readonly choices: readonly Choice[];
  readonly answer: (answer: Answer) => () => void;
  readonly isSent: boolean;
}): JSX.Element {
  const words = useWords();
  const agent = useAgentName();
  const takesMessages = useSelected((state) => state.open?.capabilities?.rejectionMessages === true);
  const [message, setMessage] = useState("");
  const refusals = choices.filter((choice) => !isAllowing(choice));
  // What the name of a choice does not say already.
  const rules = choices.filter(({ name, rule }) => rule !== undefined && !name.includes(rule));
  const hasMessage = message.trim() !== "";
  const reject = answer(hasMessage ? { type: "reject", message: message.trim() } : { type: "reject" });
  // A refusal of the agent's takes no words.
  const noes =
    refusals.length === 0 || hasMessage
      ? [{ id: "reject", name: words("ask.reject"), act: reject }]
      : refusals.map(({ id, name }) => ({ id, name, act: answer({ type: "choice", choiceId: id }) }));
  const yesesOf = (kind: Choice["kind"]): typeof noes =>
    choices
      .filter((choice) => choice.kind === kind)
      .map(({ id, name }) => ({ id, name, act: answer({ type: "choice", choiceId: id }) }));
  const buttons = [...yesesOf("allow-once"), ...noes, ...yesesOf("allow-always")];
  const first = hasMessage ? noes[0] : buttons[0];
  return (
    <div class="question-foot">
      {rules.map(({ id, rule = "", name }) => (
        <p key={id} class="note rule" dir="auto">
          {words("ask.rule", { name: visibleLine(name) })} <code dir="ltr">{visibleLine(rule)}</code>
        </p>
      ))}
      {takesMessages ? (
        <input
          type="text"
          dir="auto"
          class="field"
          aria-label={words("ask.rejectWhy", { agent })}
          placeholder={words("ask.rejectWhy", { agent })}
          value={message}
          disabled={isSent}
          onInput={({ currentTarget }) => setMessage(currentTarget.value)}
          onKeyDown={(event) => {
            const isSending = event.key === "Enter" && !event.isComposing && event.keyCode !== 229;
            if (isSending && hasMessage && !event.repeat) reject();
          }}
        />
      ) : undefined}
      <div class="buttons">
        {buttons.map((button) => (
          <button
            key={button.id}
            type="button"
            dir="auto"
            class={`button ${button === first ? "primary" : ""}`}
            disabled={isSent}
            onClick={button.act}
          >
            {visibleLine(button.name)}
          </button>
        ))}
      </div>
    </div>
  );
}

/** How long a question that has just appeared takes no answer, ms: a key or click may have been on its way elsewhere. */
export const guardTime = 500;

/** Guards the answers of a question. Keys reach it only when the user has moved the focus into it. */
function useGuard(): {
  /** Does what it is given unless the question has only just appeared. */
  readonly guarded: (act: () => void) => () => void;
  /** For the question's element: a key that is held down since before is no answer. */
  readonly onKeyDown: (event: KeyboardEvent) => void;
} {
  const shownAt = useRef(performance.now());
  return {
    guarded: (act) => () => {
      if (performance.now() - shownAt.current >= guardTime) act();
    },
    onKeyDown: (event) => {
      const isEarly = performance.now() - shownAt.current < guardTime;
      const isAnswer = event.key === "Enter" || event.key === " ";
      if (isAnswer && (event.repeat || (isEarly && !isTextField(event.target)))) event.preventDefault();
    },
  };
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === "text");
}
