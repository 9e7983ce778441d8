import type { ToolEntry } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { TextBox } from "../widgets/text-box.tsx";

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
