import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { IconButton } from "../widgets/icon.tsx";

/** Marks a text in what is shown, without touching the elements. */
function mark(text: string): void {
  if (typeof CSS === "undefined" || !("highlights" in CSS)) return;
  const content = document.querySelector(".log-content");
  const ranges: Range[] = [];
  if (text !== "" && content !== null) {
    const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
    const wanted = text.toLowerCase();
    for (let node = walker.nextNode(); node !== null && ranges.length < 1000; node = walker.nextNode()) {
      const value = node.nodeValue?.toLowerCase() ?? "";
      for (let at = value.indexOf(wanted); at >= 0; at = value.indexOf(wanted, at + wanted.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + wanted.length);
        ranges.push(range);
      }
    }
  }
  if (ranges.length === 0) CSS.highlights.delete("find");
  else CSS.highlights.set("find", new Highlight(...ranges));
}

/** Finds in the whole conversation: the host knows the entries that are not loaded. */
export function FindBar({ conversation }: { readonly conversation: string }): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const field = useRef<HTMLInputElement>(null);
  const request = useRef(0);
  const [text, setText] = useState("");
  const [index, setIndex] = useState(0);
  const found = useSelected((state) => state.found);
  const places = found !== undefined && found.request === request.current ? found.places : [];

  // At once: the first key may follow the click or the shortcut before the next frame is drawn.
  useLayoutEffect(() => field.current?.focus(), []);
  useEffect(() => () => mark(""), []);
  useEffect(() => {
    request.current = panel.nextRequest();
    setIndex(0);
    if (text !== "") panel.post({ type: "find", conversation, request: request.current, text });
    mark(text);
  }, [text]);
  const go = (to: number): void => {
    const at = (to + places.length) % places.length;
    const place = places[at];
    if (place === undefined) return;
    setIndex(at);
    panel.emit({ type: "reveal", place });
    requestAnimationFrame(() => requestAnimationFrame(() => mark(text)));
  };
  useEffect(() => {
    // From the newest: that is where one is.
    if (places.length > 0) go(places.length - 1);
  }, [found]);
  const close = (): void => {
    panel.update({ isFinding: false, found: undefined });
    panel.emit({ type: "command", command: "focus" });
  };
  return (
    <div
      class="find"
      role="search"
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <input
        ref={field}
        class="field"
        type="text"
        dir="auto"
        aria-label={words("find.label")}
        placeholder={words("find.label")}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return;
          event.preventDefault();
          go(event.shiftKey ? index - 1 : index + 1);
        }}
      />
      <span class="find-count" role="status">
        {text === ""
          ? ""
          : places.length === 0
            ? words("find.none")
            : words("find.count", { index: index + 1, count: places.length })}
      </span>
      <IconButton
        icon="arrowUp"
        label={words("find.previous")}
        isDisabled={places.length === 0}
        onClick={() => go(index - 1)}
      />
      <IconButton
        icon="arrowDown"
        label={words("find.next")}
        isDisabled={places.length === 0}
        onClick={() => go(index + 1)}
      />
      <IconButton icon="close" label={words("find.close")} onClick={close} />
    </div>
  );
}
