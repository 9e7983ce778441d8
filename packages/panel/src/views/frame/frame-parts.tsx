import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAgentName, usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { folderName, useFolders } from "../widgets/paths.ts";

/** The agent of the open conversation; in a workspace of several folders with the one in which it works. */
export function Worker(): JSX.Element {
  const agent = useAgentName();
  const folders = useFolders();
  const folder = useSelected(({ open }) => open?.folder);
  const isNamed = folder !== undefined && folders.length > 1;
  return (
    <span class="head-agent" title={isNamed ? folder : undefined}>
      {isNamed ? `${agent} · ${folderName(folder, folders)}` : agent}
    </span>
  );
}

/** The title of a conversation as a field. */
export function Rename({
  conversation,
  before,
  onEnd,
}: {
  readonly conversation: string;
  readonly before: string;
  readonly onEnd: () => void;
}): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const isDone = useRef(false);
  const end = (title: string | undefined): void => {
    if (isDone.current) return;
    isDone.current = true;
    const name = title?.trim() ?? "";
    if (name !== "" && name !== before) panel.post({ type: "rename", conversation, title: name });
    onEnd();
  };
  return (
    <input
      class="field head-field"
      type="text"
      dir="auto"
      aria-label={words("head.rename")}
      defaultValue={before}
      ref={(element) => {
        if (element !== null && document.activeElement !== element && !isDone.current) element.select();
      }}
      onBlur={({ currentTarget }) => end(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.isComposing || event.keyCode === 229) return;
        if (event.key === "Enter") end(event.currentTarget.value);
        if (event.key === "Escape") end(undefined);
      }}
    />
  );
}

/** How long the other window may take before it can be asked again, ms. */
const takeOverPatience = 12_000;

/** In the place of the composer where another window has the conversation. */
export function Elsewhere({ conversation }: { readonly conversation: string }): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    if (!isAsked) return undefined;
    const timer = setTimeout(() => setAsked(false), takeOverPatience);
    return () => clearTimeout(timer);
  }, [isAsked]);
  return (
    <div class="foot-note elsewhere">
      <p class="note">{words("access.elsewhere")}</p>
      <button
        type="button"
        class="button"
        disabled={isAsked}
        onClick={() => {
          setAsked(true);
          panel.post({ type: "act", conversation, action: "take-over" });
        }}
      >
        {words("access.takeOver")}
      </button>
    </div>
  );
}
