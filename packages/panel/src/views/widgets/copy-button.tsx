import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { usePanel, useWords } from "../../store/use-panel.ts";
import { IconButton } from "./icon.tsx";

/** Copies through the host: a frame has no clipboard of its own. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }): JSX.Element {
  const panel = usePanel();
  const words = useWords();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <IconButton
      icon={isCopied ? "check" : "copy"}
      label={isCopied ? words("message.copied") : label}
      onClick={() => {
        panel.post({ type: "copy", text: text() });
        setCopied(true);
      }}
    />
  );
}
