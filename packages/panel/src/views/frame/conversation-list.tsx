import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ConversationSummary } from "../../messages/from-host.ts";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { Icon, IconButton } from "../widgets/icon.tsx";
import { folderName, useFolders } from "../widgets/paths.ts";

const ranks: Readonly<Record<ConversationSummary["state"], number>> = {
  waiting: 0,
  running: 1,
  failed: 2,
  idle: 2,
  ended: 2,
};

/** Those that wait for the user first, then those that work, then the others from the newest. */
export function inOrder(conversations: readonly ConversationSummary[]): readonly ConversationSummary[] {
  return conversations.toSorted((a, b) => ranks[a.state] - ranks[b.state] || b.changedAt - a.changedAt);
}

/** All conversations. The host searches in their text; until it has, the titles are searched here. */
export function ConversationList(): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const field = useRef<HTMLInputElement>(null);
  const conversations = useSelected((state) => state.conversations);
  const [text, setText] = useState("");
  useLayoutEffect(() => field.current?.focus(), []);
  useEffect(() => () => panel.post({ type: "search", text: "" }), []);
  const close = (): void => panel.update({ isListing: false });
  return (
    <section
      class="list"
      aria-label={words("list.title")}
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <div class="list-head">
        <Icon name="search" />
        <input
          ref={field}
          class="field"
          type="text"
          dir="auto"
          aria-label={words("list.search")}
          placeholder={words("list.search")}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            panel.post({ type: "search", text: currentTarget.value });
          }}
        />
        <IconButton icon="close" label={words("list.close")} onClick={close} />
      </div>
      {conversations.length === 0 ? (
        <p class="empty">{words(text === "" ? "list.none" : "list.noMatch")}</p>
      ) : (
        <ConversationRows conversations={inOrder(conversations)} />
      )}
      <AddAgent class="text-button list-add" />
    </section>
  );
}

/** Where agents may run, another one can be added. */
export function AddAgent(props: { readonly class: string }): JSX.Element | undefined {
  const words = useWords();
  const panel = usePanel();
  const notice = useSelected((state) => state.settings?.notice);
  if (notice !== undefined) return undefined;
  return (
    <button type="button" {...props} onClick={() => panel.post({ type: "add-agent" })}>
      {words("welcome.add")}
    </button>
  );
}

export function ConversationRows({
  conversations,
}: {
  readonly conversations: readonly ConversationSummary[];
}): JSX.Element {
  return (
    <ul class="plain rows">
      {conversations.map((conversation) => (
        <Row key={conversation.id} conversation={conversation} />
      ))}
    </ul>
  );
}

function Row({
  conversation: { id, agent, folder, title, changedAt, state },
}: {
  readonly conversation: ConversationSummary;
}): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const locale = useSelected(({ settings }) => settings?.locale) ?? "en";
  const name = useSelected(({ agents }) => agents.find((one) => one.id === agent)?.name) ?? agent;
  const isOpen = useSelected(({ open }) => open?.id === id);
  const folders = useFolders();
  const [isAsking, setAsking] = useState(false);
  const isBusy = state === "waiting" || state === "running" || state === "failed";
  if (isAsking) {
    return (
      <li class="row asking" role="group" aria-label={words("list.deleteAsk")}>
        <span class="row-title">{words("list.deleteAsk")}</span>
        <button type="button" class="button" onClick={() => panel.post({ type: "delete", conversation: id })}>
          {words("list.delete")}
        </button>
        <button type="button" class="button primary" onClick={() => setAsking(false)}>
          {words("list.cancel")}
        </button>
      </li>
    );
  }
  return (
    <li class={`row row-${state} ${isOpen ? "current" : ""}`}>
      <button
        type="button"
        class="row-button"
        aria-current={isOpen ? "true" : undefined}
        onClick={() => {
          panel.update({ isListing: false });
          if (!isOpen) panel.post({ type: "select", conversation: id });
        }}
      >
        <span class="row-mark" aria-hidden="true">
          {state === "running" ? <span class="spinner" /> : <span class={`dot dot-${state}`} />}
        </span>
        <span class="row-text">
          <span class="row-title" dir="auto">
            {title === "" ? words("head.untitled") : title}
          </span>
          <span class="row-note">
            {name} · {folders.length < 2 ? "" : `${folderName(folder, folders)} · `}
            {isBusy ? words(`list.${state}`) : formatAgo(changedAt, Date.now(), locale)}
          </span>
        </span>
      </button>
      <IconButton icon="trash" class="row-action" label={words("list.delete")} onClick={() => setAsking(true)} />
    </li>
  );
}

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** E.g. "5 min. ago". */
function formatAgo(at: number, now: number, locale: string): string {
  const seconds = Math.max(0, (now - at) / 1000);
  const format = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "narrow" });
  const unit = units.find(([, length]) => seconds >= length);
  return unit === undefined ? format.format(0, "second") : format.format(-Math.floor(seconds / unit[1]), unit[0]);
}
