import type { JSX } from "preact";
import { useWords } from "../../store/use-panel.ts";
import { CopyButton } from "./copy-button.tsx";
import { visibleText } from "./visible-text.ts";

/** Text of a tool, whole, in a box that scrolls. Nothing in it is invisible. */
export function TextBox({
  label,
  text,
  isCommand = false,
}: {
  readonly label: string;
  readonly text: string;
  readonly isCommand?: boolean;
}): JSX.Element {
  const words = useWords();
  return (
    <div class={`text ${isCommand ? "command" : ""}`}>
      {/* Scrolled by keys, too. */}
      <pre tabIndex={0} role="group" aria-label={label} dir="ltr">
        {visibleText(text)}
      </pre>
      <span class="text-actions">
        <CopyButton label={words("message.copy")} text={() => text} />
      </span>
    </div>
  );
}
