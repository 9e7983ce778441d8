import type { RestoredFile, Restoring } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useSaid } from "../../store/said.ts";
import { usePanel, usePanelEvent, useSelected, useWords } from "../../store/use-panel.ts";
import { FileName, KindBadges } from "./changed-file.tsx";
import { useChangesMessage } from "./turns.ts";

/** What is the same for the files of a list, in the order of the lists. */
const groups = ["back", "trash", "partly", "yours", "lost"] as const;
type Group = (typeof groups)[number];

const groupOf = ({ fate, isNew }: RestoredFile): Group => (fate === "back" && isNew === true ? "trash" : fate);

/** What would become of the files before it does, and whether it is wanted. */
export function RestoringView({ prompt }: { readonly prompt: string }): JSX.Element | undefined {
  const words = useWords();
  const panel = usePanel();
  const said = useSaid();
  const [restoring, setRestoring] = useState<Restoring | undefined>(undefined);
  const conversation = useSelected((state) => state.open?.id);
  useChangesMessage((message) => {
    // There is one question at a time.
    if (message.kind === "restoring") setRestoring(message.prompt === prompt ? message.restoring : undefined);
  });
  usePanelEvent(({ type }) => {
    if (type === "opened") setRestoring(undefined);
  });
  if (restoring === undefined || conversation === undefined) return undefined;
  const { canRewind, reason = "", files } = restoring;
  const close = (): void => setRestoring(undefined);
  const canDo = canRewind && files.some(({ fate }) => fate === "back" || fate === "partly");
  const shown = groups.filter((group) => files.some((file) => groupOf(file) === group));
  return (
    <div class="confirmation" role="group" aria-label={words("prompt.rewind")}>
      <p>
        {canDo
          ? words("rewind.ask")
          : canRewind
            ? words("rewind.nothing")
            : words("rewind.cannot", { reason: said(reason) })}
      </p>
      {shown.map((group) => (
        <section key={group} class="restored" aria-label={words(`rewind.${group}`)}>
          <p>{words(`rewind.${group}`)}</p>
          <ul class="plain">
            {files
              .filter((file) => groupOf(file) === group)
              .map((file) => (
                <RestoredRow key={file.path} file={file} hasReason={group === "yours" || group === "lost"} />
              ))}
          </ul>
        </section>
      ))}
      <div class="buttons">
        {canDo ? (
          <button
            type="button"
            class="button"
            onClick={() => {
              panel.post({ type: "rewind", conversation, prompt, dryRun: false });
              close();
            }}
          >
            {words("rewind.confirm")}
          </button>
        ) : undefined}
        <button type="button" class="button primary" onClick={close}>
          {words(canDo ? "list.cancel" : "list.close")}
        </button>
      </div>
    </div>
  );
}

function RestoredRow({ file, hasReason }: { readonly file: RestoredFile; readonly hasReason: boolean }): JSX.Element {
  return (
    <li>
      <div class="changed-file">
        <FileName file={file} />
        <KindBadges file={file} />
      </div>
      {hasReason && file.reason !== undefined ? <p class="note">{file.reason}</p> : undefined}
    </li>
  );
}
