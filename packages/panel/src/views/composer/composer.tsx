import type { PromptBlock } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useAgentName, usePanel, usePanelEvent, useSelected, useWords } from "../../store/use-panel.ts";
import { Icon, IconButton } from "../widgets/icon.tsx";
import { ComposerChips } from "./chips.tsx";
import { addChips, type Query, queryAt, toBlocks } from "./draft.ts";
import { type ImageProblem, readImages } from "./images.ts";
import { OptionsRow } from "./options.tsx";
import { Queue } from "./queue.tsx";
import { type Suggestion, suggestCommands, suggestionId, Suggestions, suggestMentions } from "./suggestions.tsx";
import { UsageMeter } from "./usage.tsx";
import { useWriting } from "./use-writing.ts";

/** A key that belongs to a composition (of Chinese, Japanese, Korean …) is never ours. */
const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;

/** Where the user writes. */
export function Composer({ conversation }: { readonly conversation: string }): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const agent = useAgentName();
  const area = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const { writing, change, history } = useWriting(area);
  const selection = useSelected((state) => state.selection);
  const [isSelectionOn, setSelectionOn] = useState(true);
  const [problem, setProblem] = useState<ImageProblem | "compose.noImages" | undefined>(undefined);
  const suggesting = useSuggestions(conversation, area, writing, change);
  const isRunning = useSelected(({ open }) => isBusy(open?.state.kind));
  const takesImages = useSelected(({ open }) => open?.capabilities?.images !== false);
  const sendWith = useSelected((state) => state.settings?.sendWith) ?? "enter";

  usePanelEvent((event) => {
    if (event.type === "command" && event.command === "focus") area.current?.focus();
    if (event.type === "command" && event.command === "stop") panel.post({ type: "stop", conversation });
  });

  const addImages = async (files: readonly File[]): Promise<void> => {
    if (!takesImages) {
      setProblem("compose.noImages");
      return;
    }
    const { blocks, problem: found } = await readImages(files);
    setProblem(found);
    if (blocks.length > 0) change({ chips: addChips(writing.chips, blocks) });
  };

  const send = (): void => {
    const own = toBlocks({ ...writing, text: writing.text.trim() });
    if (own.length === 0) return;
    const chosen: readonly PromptBlock[] = isSelectionOn && selection !== undefined ? [selection] : [];
    panel.post({ type: "send", conversation, blocks: addChips(chosen, own).concat(own.filter(isText)) });
    change({ chips: [], text: "" }, 0);
    panel.emit({ type: "sent" });
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (suggesting.onKeyDown(event)) {
      event.preventDefault();
      return;
    }
    const hasModifier = event.ctrlKey || event.metaKey;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey && hasModifier === (sendWith === "ctrl-enter")) {
      event.preventDefault();
      // A key that is held down sends once.
      if (!event.repeat) send();
    } else if (
      (event.key === "ArrowUp" || event.key === "ArrowDown") &&
      !hasModifier &&
      !event.shiftKey &&
      !event.altKey
    ) {
      const { current } = area;
      const isAtEdge =
        event.key === "ArrowUp" ? current?.selectionEnd === 0 : current?.selectionStart === current?.value.length;
      if (isAtEdge && history(event.key === "ArrowUp" ? -1 : 1)) event.preventDefault();
    }
  };

  const drop = useDrop((files, uris) => {
    if (files.length > 0) void addImages(files);
    if (uris.length > 0) panel.post({ type: "drop", conversation, uris });
  });

  return (
    <div class={`composer ${drop.isOver ? "drop" : ""}`} {...drop.handlers}>
      <Queue conversation={conversation} isEmpty={toBlocks(writing).length === 0} />
      {problem === undefined ? undefined : (
        <p class="problem" role="alert">
          {words(problem, { agent })}
        </p>
      )}
      {suggesting.items.length > 0 ? (
        <Suggestions id={listId} items={suggesting.items} active={suggesting.active} onPick={suggesting.pick} />
      ) : undefined}
      <div class="composer-box">
        <ComposerChips
          chips={writing.chips}
          selection={selection}
          isSelectionOn={isSelectionOn}
          onRemove={(index) => {
            change({ chips: writing.chips.filter((_chip, at) => at !== index) });
            area.current?.focus();
          }}
          onToggleSelection={() => setSelectionOn(!isSelectionOn)}
        />
        <textarea
          ref={area}
          rows={1}
          dir="auto"
          aria-label={words("compose.label", { agent })}
          placeholder={words(isRunning ? "compose.queueing" : "compose.placeholder", { agent })}
          aria-autocomplete="list"
          aria-controls={suggesting.items.length > 0 ? listId : undefined}
          aria-activedescendant={suggesting.items.length > 0 ? suggestionId(listId, suggesting.active) : undefined}
          onInput={({ currentTarget }) => {
            change({ text: currentTarget.value });
            setProblem(undefined);
            suggesting.look();
          }}
          onClick={suggesting.look}
          onKeyDown={onKeyDown}
          onBlur={suggesting.close}
          onPaste={(event) => {
            const files = Array.from(event.clipboardData?.files ?? []);
            if (files.length === 0) return;
            event.preventDefault();
            void addImages(files);
          }}
        />
        <div class="composer-foot">
          <IconButton icon="attach" label={words("compose.attach")} onClick={suggesting.begin} />
          <OptionsRow conversation={conversation} />
          <span class="spring" />
          <UsageMeter />
          {isRunning ? (
            <IconButton
              icon="stop"
              class="stop"
              label={words("compose.stop")}
              onClick={() => panel.post({ type: "stop", conversation })}
            />
          ) : undefined}
          <IconButton
            icon="arrowUp"
            class="send"
            label={words(isRunning ? "compose.queue" : "compose.send")}
            isDisabled={toBlocks({ ...writing, text: writing.text.trim() }).length === 0}
            onClick={() => {
              send();
              area.current?.focus();
            }}
          />
        </div>
      </div>
      {drop.isOver ? (
        <div class="drop-note">
          <Icon name="attach" /> {words("compose.drop")}
        </div>
      ) : undefined}
    </div>
  );
}

const isText = (block: PromptBlock): boolean => block.type === "text";

export function isBusy(kind: string | undefined): boolean {
  return kind === "running" || kind === "waiting" || kind === "retrying";
}

/** What is offered for the `@` or `/` at the caret. */
function useSuggestions(
  conversation: string,
  area: { readonly current: HTMLTextAreaElement | null },
  writing: { readonly chips: readonly PromptBlock[]; readonly text: string },
  change: (next: { chips?: readonly PromptBlock[]; text?: string }, caret?: number) => void,
): {
  readonly items: readonly Suggestion[];
  readonly active: number;
  readonly pick: (index: number) => void;
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
  readonly look: () => void;
  readonly close: () => void;
  readonly begin: () => void;
} {
  const panel = usePanel();
  const commands = useSelected((state) => state.open?.commands) ?? [];
  const mentions = useSelected((state) => state.mentions);
  const request = useRef(0);
  const [query, setQuery] = useState<Query | undefined>(undefined);
  const [active, setActive] = useState(0);
  const found = mentions?.request === request.current ? mentions.items : [];
  const items =
    query === undefined
      ? []
      : query.kind === "command"
        ? suggestCommands(commands, query.text)
        : suggestMentions(found);

  useEffect(() => setActive(0), [query?.kind, query?.text]);

  const close = (): void => setQuery(undefined);
  const look = (): void => {
    const { current } = area;
    if (current === null) return;
    const next =
      current.selectionStart === current.selectionEnd ? queryAt(current.value, current.selectionEnd) : undefined;
    if (next?.kind === query?.kind && next?.text === query?.text && next?.from === query?.from) return;
    setQuery(next);
    if (next?.kind !== "mention") return;
    request.current += 1;
    panel.post({ type: "mentions", conversation, request: request.current, query: next.text });
  };
  const replace = (text: string, more: readonly PromptBlock[] = []): void => {
    const { current } = area;
    if (query === undefined || current === null) return;
    const before = current.value.slice(0, query.from);
    change(
      { text: before + text + current.value.slice(current.selectionEnd), chips: addChips(writing.chips, more) },
      before.length + text.length,
    );
    close();
  };
  const pick = (index: number): void => {
    const item = items[index];
    if (item === undefined || query === undefined) return;
    if (query.kind === "command") {
      replace(`/${item.id} `);
      return;
    }
    const mention = found.find(({ id }) => id === item.id);
    replace(
      mention?.block === undefined ? "" : `${mention.label} `,
      mention?.block === undefined ? [] : [mention.block],
    );
    if (mention !== undefined && mention.block === undefined) {
      panel.post({ type: "pick", conversation, request: request.current, id: mention.id });
    }
  };
  return {
    items,
    active: Math.min(active, Math.max(0, items.length - 1)),
    pick,
    look,
    close,
    begin: () => {
      const { current } = area;
      if (current === null) return;
      current.focus();
      const at = current.selectionEnd;
      const isApart = at === 0 || /\s$/u.test(current.value.slice(0, at));
      const sign = isApart ? "@" : " @";
      change({ text: current.value.slice(0, at) + sign + current.value.slice(at) }, at + sign.length);
      requestAnimationFrame(look);
    },
    onKeyDown: (event) => {
      if (query === undefined || items.length === 0) return false;
      if (event.key === "ArrowDown") setActive((active + 1) % items.length);
      else if (event.key === "ArrowUp") setActive((active + items.length - 1) % items.length);
      else if (event.key === "Escape") close();
      else if (event.key === "Tab" && !event.shiftKey) pick(active);
      else if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey) {
        // A command that stands there whole is sent.
        if (query.kind === "command" && items[active]?.id === query.text) {
          close();
          return false;
        }
        pick(active);
      } else return false;
      return true;
    },
  };
}

/** Files and URIs that are dropped on it. */
function useDrop(onDrop: (files: readonly File[], uris: readonly string[]) => void): {
  readonly isOver: boolean;
  readonly handlers: Readonly<Record<"onDragOver" | "onDrop", (event: DragEvent) => void>> & {
    readonly onDragLeave: (event: DragEvent & { readonly currentTarget: HTMLElement }) => void;
  };
} {
  const [isOver, setOver] = useState(false);
  const takes = (event: DragEvent): boolean =>
    ["Files", "text/uri-list", "application/vnd.code.uri-list"].some((type) =>
      event.dataTransfer?.types.includes(type),
    );
  return {
    isOver,
    handlers: {
      onDragOver: (event) => {
        if (!takes(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event) => {
        const { relatedTarget, currentTarget } = event;
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
      },
      onDrop: (event) => {
        setOver(false);
        if (!takes(event)) return;
        event.preventDefault();
        const data = event.dataTransfer;
        const list = data?.getData("application/vnd.code.uri-list") || data?.getData("text/uri-list") || "";
        const uris = list.split(/\r?\n/u).filter((line) => line !== "" && !line.startsWith("#"));
        const files = Array.from(data?.files ?? []).filter(({ type }) => type.startsWith("image/"));
        onDrop(files, files.length > 0 ? [] : uris);
      },
    },
  };
}
