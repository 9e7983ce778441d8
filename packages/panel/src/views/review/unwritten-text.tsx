import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { UnwrittenInfo } from "../../messages/reviews.ts";
import { usePanel, useWords } from "../../store/use-panel.ts";
import { shownPath, useFolders } from "../widgets/paths.ts";
import { visibleLine } from "../widgets/visible-text.ts";

/** What was accepted and is not written, with what can be done about it. It goes by itself once its agent has written it. */
export function UnwrittenText({
  text: { id, agentName, path },
  mayShow = false,
}: {
  readonly text: UnwrittenInfo;
  readonly mayShow?: boolean;
}): JSX.Element {
  const panel = usePanel();
  const words = useWords();
  const folders = useFolders();
  const [isAsking, setAsking] = useState(false);
  const act = (action: "show" | "save" | "discard") => (): void => panel.post({ type: "review-unwritten", id, action });
  return (
    <>
      <span role="status">
        {words("review.unwritten", { agent: agentName, path: visibleLine(shownPath(path, folders)) })}
      </span>
      {mayShow ? (
        <button type="button" class="text-button" onClick={act("show")}>
          {words("review.show")}
        </button>
      ) : null}
      <button type="button" class="text-button" onClick={act("save")}>
        {words("review.save")}
      </button>
      <button type="button" class="text-button" onClick={isAsking ? act("discard") : () => setAsking(true)}>
        {words(isAsking ? "review.discardSure" : "review.discard")}
      </button>
    </>
  );
}
