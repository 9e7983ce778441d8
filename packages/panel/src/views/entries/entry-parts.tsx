import type {
  NoticeEntry,
  PlacedEntry,
  PlanEntry,
  QuestionOutcome,
  ToolEntry,
  TurnEndEntry,
} from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useSaid } from "../../store/said.ts";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { formatCost, formatCount, formatDuration } from "../widgets/format.ts";
import { Icon } from "../widgets/icon.tsx";
import { TextBox } from "../widgets/text-box.tsx";
import { visibleLine } from "../widgets/visible-text.ts";
import { TurnBar } from "./changes-parts.ts";

export function PlanView({ entry }: { readonly entry: PlanEntry }): JSX.Element {
  const words = useWords();
  const done = entry.steps.filter(({ state }) => state === "done").length;
  return (
    <section class="card plan" aria-label={words("plan.title")}>
      <div class="card-head">
        <Icon name="plan" />
        <span class="card-title">{words("plan.title")}</span>
        <span class="card-note">{words("plan.progress", { done, total: entry.steps.length })}</span>
      </div>
      <ol class="plan-steps">
        {entry.steps.map(({ text, state }, index) => (
          <li key={index} class={`plan-${state}`}>
            {state === "running" ? (
              <span class="spinner" aria-hidden="true" />
            ) : (
              <Icon name={state === "done" ? "check" : "circle"} />
            )}
            <span class="sr-only">{words(`plan.${state}`)}: </span>
            <span dir="auto">{text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

export function NoticeView({ entry }: { readonly entry: NoticeEntry }): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const conversation = useSelected((state) => state.open?.id);
  const said = useSaid();
  const { level, text, detail, action } = entry;
  return (
    <div class={`notice notice-${level}`}>
      <Icon name={level} />
      <div class="notice-text">
        <p dir="auto">{said(text)}</p>
        {detail === undefined ? undefined : (
          <details>
            <summary>{words("notice.detail")}</summary>
            <pre tabIndex={0}>{detail}</pre>
          </details>
        )}
        {action === undefined || conversation === undefined ? undefined : (
          <button type="button" class="button" onClick={() => panel.post({ type: "act", conversation, action })}>
            {words(`notice.${action}`)}
          </button>
        )}
      </div>
    </div>
  );
}

/** How a turn ended, in one quiet line, below what it changed. */
export function TurnEndView({ entry }: { readonly entry: TurnEndEntry }): JSX.Element {
  const words = useWords();
  const locale = useSelected((state) => state.settings?.locale) ?? "en";
  const { reason, durationMs, usage, cost } = entry;
  const isTold = useSelected(({ open }) => reason === "exited" && hasNoticeBeside(open?.entries ?? [], entry.id));
  const parts = [
    ...(reason === "done" || isTold ? [] : [words(`end.${reason}`).replace(/[.。]$/u, "")]),
    ...(durationMs === undefined ? [] : [formatDuration(durationMs, words)]),
    ...(usage?.outputTokens === undefined
      ? []
      : [words("end.tokens", { count: formatCount((usage.inputTokens ?? 0) + usage.outputTokens, locale) })]),
    ...(cost === undefined ? [] : [formatCost(cost, usage?.currency, locale)]),
  ];
  return (
    <>
      <TurnBar entry={entry} />
      {parts.length === 0 ? undefined : <p class={`turn-end turn-${reason}`}>{parts.join(" · ")}</p>}
    </>
  );
}

/** Whether a notice that offers to start the agent again stands beside an entry: it has said what happened. */
function hasNoticeBeside(entries: readonly PlacedEntry[], id: string): boolean {
  const at = entries.findLastIndex(({ entry }) => entry.id === id);
  return [entries[at - 1], entries[at + 1]].some(
    (one) => one?.entry.kind === "notice" && one.entry.action === "restart",
  );
}

/** What a command writes for a terminal: colours, links, titles, and moves of its cursor. */
// oxlint-disable-next-line no-control-regex -- Escapes are what is removed.
const escapes = /\u001b(?:\[[\d;:?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_a-z=>78])/gu;

// oxlint-disable-next-line no-control-regex
const silent = /[\u0000\u0007\u0008]/gu;

/** As a terminal would show it, line by line; what was drawn over stays. */
function asLines(output: string): string {
  return output
    .replaceAll(escapes, "")
    .replaceAll(/\r+\n?/gu, "\n")
    .replaceAll(silent, "");
}

/** Characters of an output that are drawn: its end. */
const outputLimit = 6_000;

/** What a tool was asked, and the end of what it said. */
export function ToolDetails({ entry }: { readonly entry: ToolEntry }): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const conversation = useSelected((state) => state.open?.id);
  const { command, input, output, outputOmitted } = entry;
  const shown = output === undefined ? undefined : asLines(output.slice(-outputLimit));
  const isCut = (outputOmitted ?? 0) > 0 || (output?.length ?? 0) > outputLimit;
  return (
    <div class="tool-details">
      {command === undefined ? undefined : <TextBox label={words("ask.command")} text={command} isCommand />}
      {input === undefined ? undefined : <TextBox label={words("tool.input")} text={input} />}
      {shown === undefined ? undefined : (
        <>
          {isCut ? (
            <p class="note">
              {words("tool.omitted")}{" "}
              <button
                type="button"
                class="link"
                onClick={() => conversation && panel.post({ type: "open-entry", conversation, entry: entry.id })}
              >
                {words("tool.openOutput")}
              </button>
            </p>
          ) : undefined}
          {shown.trim() === "" ? (
            <p class="note">{words("tool.noOutput")}</p>
          ) : (
            <TextBox label={words("tool.output")} text={shown} />
          )}
        </>
      )}
    </div>
  );
}

/** What was answered when the agent asked for it, with the reason if there was one. */
export function ToolAnswer({ outcome }: { readonly outcome: QuestionOutcome }): JSX.Element {
  const words = useWords();
  const isAllowed = outcome.type === "answered" && outcome.isAllowed;
  const summary = outcome.type === "withdrawn" ? words("ask.withdrawn") : outcome.summary;
  const edited = outcome.type === "answered" && outcome.isEdited === true ? ` (${words("ask.edited")})` : "";
  return (
    <p class={`tool-answer ${isAllowed ? "allowed" : "refused"}`} dir="auto">
      <Icon name={isAllowed ? "check" : outcome.type === "withdrawn" ? "dash" : "close"} />
      <span>
        {visibleLine(summary)}
        {edited}
      </span>
    </p>
  );
}
