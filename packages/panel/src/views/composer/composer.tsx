import type { ConversationSnapshot, PromptBlock } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { useAgentName, usePanel, usePanelEvent, useSelected, useWords } from "../../store/use-panel.ts";
import { Icon, IconButton } from "../widgets/icon.tsx";
import { type Later, later } from "../widgets/later.tsx";
import type { FileProblem } from "./attachments.ts";
import { type Suggestion, suggestionId, useSuggestions } from "./use-suggestions.ts";
import { addChips, behind, newPromptId, nothingWritten, toBlocks, useWriting } from "./use-writing.ts";

export const ComposerChips: Later<{
  readonly chips: readonly PromptBlock[];
  readonly selection: PromptBlock | undefined;
  readonly isSelectionOn: boolean;
  readonly onRemove: (index: number) => void;
  readonly onToggleSelection: () => void;
}> = later();
export const ModeNote: Later<object> = later();
export const OptionsRow: Later<{ readonly conversation: string }> = later();
export const Queue: Later<{ readonly conversation: string; readonly isEmpty: boolean }> = later();
export const Suggestions: Later<{
  readonly id: string;
  readonly items: readonly Suggestion[];
  readonly active: number;
  readonly onPick: (index: number) => void;
}> = later();
export const UsageMeter: Later<object> = later();

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
  const [isSelectionOn, setSelectionOn] = useState(!panel.kept.isSelectionOff);
  const [problem, setProblem] = useState<FileProblem>();
  const suggesting = useSuggestions(conversation, area, writing, change);
  const isRunning = useSelected(({ open }) => isBusy(open?.state.kind));
  // A start that takes long can be stopped, too, where something waits for it.
  const canStop = useSelected(({ open }) => isBusy(open?.state.kind) || isHeldUp(open));
  const takesImages = useSelected(({ open }) => open?.capabilities?.images !== false);
  const sendWith = useSelected((state) => state.settings?.sendWith) ?? "enter";

  usePanelEvent((event) => {
    if (event.type === "command" && event.command === "focus") area.current?.focus();
    // Who opens a conversation here goes on in it.
    if (event.type === "opened" && !event.isSame && document.hasFocus()) area.current?.focus();
    if (event.type === "command" && event.command === "stop") panel.post({ type: "stop", conversation });
  });

  const addFiles = async (files: readonly File[]): Promise<void> => {
    const { readFiles } = await import("./attachments.ts");
    const { blocks, problem: found } = await readFiles(files, takesImages, words);
    setProblem(found);
    if (blocks.length > 0) change({ chips: addChips(writing.chips, blocks) });
  };

  const send = (): void => {
    const own = toBlocks({ ...writing, text: writing.text.trim() });
    if (own.length === 0) return;
    const chosen: readonly PromptBlock[] = isSelectionOn && selection !== undefined ? [selection] : [];
    const blocks = addChips(chosen, own).concat(own.filter(isText));
    panel.post({ type: "send", conversation, blocks, id: newPromptId(), ...behind(writing.before) });
    change(nothingWritten, 0);
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
      const isUp = event.key === "ArrowUp";
      // An earlier prompt is shown with the caret before it: the way back begins there.
      const isAtEdge = current?.selectionEnd === 0 || (!isUp && current?.selectionStart === current?.value.length);
      if (isAtEdge && history(isUp ? -1 : 1)) event.preventDefault();
    }
  };

  const drop = useDrop((files, uris) => {
    const images = files.filter(({ type }) => type.startsWith("image/"));
    if (images.length > 0) void addFiles(images);
    else if (uris.length > 0) panel.post({ type: "drop", conversation, uris });
    // What comes from outside the editor has no path that a page may know.
    else if (files.length > 0) void addFiles(files);
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
          onToggleSelection={() => {
            panel.kept.leaveOutSelection(isSelectionOn);
            setSelectionOn(!isSelectionOn);
          }}
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
            const text = event.clipboardData?.getData("text/plain") ?? "";
            if (files.length === 0 && text.length > longPaste) files.push(new File([text], ""));
            if (files.length === 0) return;
            event.preventDefault();
            void addFiles(files);
          }}
        />
        <ModeNote />
        <div class="composer-foot">
          <div class="composer-options">
            <IconButton icon="attach" label={words("compose.attach")} onClick={suggesting.begin} />
            <OptionsRow conversation={conversation} />
          </div>
          <UsageMeter />
          {canStop ? (
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

/** A longer text stands beside the message as a chip, UTF-16 units. */
const longPaste = 5_000;

const isText = (block: PromptBlock): boolean => block.type === "text";

const isHeldUp = (open: ConversationSnapshot | undefined): boolean =>
  open?.state.kind === "starting" && open.queue.length > 0;

export function isBusy(kind: string | undefined): boolean {
  return kind === "running" || kind === "waiting" || kind === "retrying";
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
        onDrop(Array.from(data?.files ?? []), uris);
      },
    },
  };
}
