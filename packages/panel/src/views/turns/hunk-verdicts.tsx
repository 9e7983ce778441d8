import type { ChangedFile, FileHunk } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useWords } from "../../store/use-panel.ts";

/** A verdict on what is already written. */
export type PastVerdict = "keep" | "undo" | "redo";

/** What of a hunk can be decided, in the order in which it is offered. */
export function verdictsOn(
  state: FileHunk["state"],
  { state: ofFile, obstacle, canRedo }: Pick<ChangedFile, "state" | "obstacle" | "canRedo">,
): readonly PastVerdict[] {
  const isOpen = (state === "open" || state === "queued") && ofFile !== "undone";
  return [
    ...(isOpen && ofFile !== "accepted" ? (["keep"] as const) : []),
    ...((isOpen || state === "kept") && obstacle === undefined ? (["undo"] as const) : []),
    ...(state === "undone" && canRedo ? (["redo"] as const) : []),
  ];
}

/** What was decided of a hunk. */
export function HunkBadge({ state }: { readonly state: FileHunk["state"] }): JSX.Element | undefined {
  const words = useWords();
  return state === "open" ? undefined : <span class="badge">{words(`changes.${state}`)}</span>;
}

export function HunkVerdicts({
  id,
  state,
  file,
  act,
}: {
  readonly id: string;
  readonly state: FileHunk["state"];
  readonly file: Pick<ChangedFile, "state" | "obstacle" | "canRedo">;
  readonly act: (verdict: PastVerdict, hunk: string) => void;
}): JSX.Element {
  const words = useWords();
  return (
    <>
      {verdictsOn(state, file).map((verdict) => (
        <button key={verdict} type="button" class="text-button" onClick={() => act(verdict, id)}>
          {words(verdict === "undo" && state === "queued" ? "changes.now" : `changes.${verdict}`)}
        </button>
      ))}
    </>
  );
}
