import type { ChangedFile, ConversationSnapshot, TurnChanges } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { LineCounts } from "../widgets/small-diff.tsx";
import { FileName, KindBadges } from "./changed-file.tsx";
import { turnsIn, useTurns } from "./turns.ts";

interface OfCommand {
  readonly turn: string;
  readonly files: readonly ChangedFile[];
}

/** What each command changed, of the same turns: all commands of a conversation ask for it. */
const known = new WeakMap<readonly TurnChanges[], ReadonlyMap<string, OfCommand>>();

function filesOf(open: ConversationSnapshot | undefined, id: string): OfCommand | undefined {
  const turns = turnsIn(open);
  const found = known.get(turns) ?? byCommand(turns);
  known.set(turns, found);
  return found.get(id);
}

function byCommand(turns: readonly TurnChanges[]): ReadonlyMap<string, OfCommand> {
  const found = new Map<string, OfCommand>();
  for (const { turn, files } of turns)
    for (const file of files)
      for (const id of file.commands ?? []) found.set(id, { turn, files: [...(found.get(id)?.files ?? []), file] });
  return found;
}

/** More are counted. */
const mostShown = 20;

/** The files that a command changed, below it. */
export function CommandFiles({ id }: { readonly id: string }): JSX.Element | undefined {
  const words = useWords();
  const panel = usePanel();
  const conversation = useSelected(({ open }) => open?.id);
  const found = useTurns((open) => filesOf(open, id));
  if (found === undefined || conversation === undefined) return undefined;
  const { turn, files } = found;
  return (
    <ul class="plain command-files" aria-label={words("changes.byCommand")}>
      {files.slice(0, mostShown).map((file) => (
        <li key={file.path} class={`changed-file ${file.state === "undone" ? "undone" : ""}`}>
          <FileName
            file={file}
            onOpen={() => panel.post({ type: "changes", conversation, turn, action: "review", path: file.path })}
          />
          {/* Of a file that others changed, too, the lines are not the command's alone. */}
          {file.lines !== undefined && file.mark === "likely" && file.commands?.length === 1 ? (
            <LineCounts {...file.lines} />
          ) : undefined}
          <KindBadges file={file} />
          {file.state === "undone" ? <span class="badge">{words("changes.undone")}</span> : undefined}
        </li>
      ))}
      {files.length > mostShown ? (
        <li class="note">{words("changes.more", { count: files.length - mostShown })}</li>
      ) : undefined}
    </ul>
  );
}
