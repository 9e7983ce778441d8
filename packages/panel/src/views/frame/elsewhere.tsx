import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { usePanel, useWords } from "../../store/use-panel.ts";

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
