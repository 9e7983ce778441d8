import { type JSX, render } from "preact";
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { PanelStore } from "../../store/store.ts";
import { PanelContext, usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { fill as fillChanges } from "../changes.tsx";
import { fill as fillRest } from "../rest.tsx";
import type { Boundary as BoundaryClass } from "../widgets/boundary.tsx";
import { shownPath, useFolders } from "../widgets/paths.ts";
import { visibleLine } from "../widgets/visible-text.ts";
import { Past } from "./past.tsx";
import { Review } from "./review.tsx";
import { UnwrittenText } from "./unwritten-text.tsx";
import { ShownReviews } from "./shown-reviews.ts";

export interface ReviewsOptions {
  readonly store: PanelStore;
  /** Of the panel. */
  readonly root: HTMLElement;
  /** What was said of reviews before. */
  readonly early: readonly unknown[];
  /** The panel's own. */
  readonly boundary: typeof BoundaryClass;
}

/** Draws reviews beside the panel's root: a list above it of those that wait, and the one that is shown in its place. */
export function startReviews(options: ReviewsOptions): void {
  const { store, root } = options;
  // What the page is drawn with stays one chunk this way, as small as it is.
  fillRest();
  fillChanges();
  const place = document.createElement("div");
  place.className = "reviews";
  root.before(place);
  render(
    <PanelContext.Provider value={store}>
      <Reviews {...options} />
    </PanelContext.Provider>,
    place,
  );
}

function Reviews({ root, early, boundary: Boundary }: ReviewsOptions): JSX.Element {
  const panel = usePanel();
  const words = useWords();
  const [, setVersion] = useState(0);
  const shown = useMemo(() => {
    const failed = (message: string): void => panel.post({ type: "failed", message });
    return new ShownReviews(() => setVersion((version) => version + 1), failed);
  }, []);
  useLayoutEffect(() => {
    panel.onReview = (about) => shown.receive(about);
    for (const about of early) shown.receive(about);
  }, [shown]);
  const { id, past } = shown;
  const isShown = id !== undefined || past !== undefined;
  useLayoutEffect(() => {
    // Hidden, not gone: what was open in it stays open.
    root.hidden = isShown;
  }, [isShown]);
  if (!isShown) return <WaitingReviews shown={shown} />;
  return (
    <main class="page">
      <Boundary
        key={id ?? "past"}
        instead={
          <div class="failure" role="alert">
            <p>{words("page.failed")}</p>
            <button type="button" class="button" onClick={() => shown.show(undefined)}>
              {words("review.leave")}
            </button>
          </div>
        }
        onFailure={(error) => panel.post({ type: "failed", message: String(error) })}
      >
        {id === undefined ? past && <Past shown={shown} past={past} /> : <Review shown={shown} id={id} />}
      </Boundary>
    </main>
  );
}

/** The reviews that wait besides the questions of the conversation that is open. */
function WaitingReviews({ shown }: { readonly shown: ShownReviews }): JSX.Element {
  const words = useWords();
  const folders = useFolders();
  const open = useSelected((state) => state.open?.id);
  const isUnwritten = (id: string): boolean => shown.unwritten.some((text) => text.id === id);
  const others = shown.reviews.filter(
    ({ id, conversation }) => (conversation === undefined || conversation !== open) && !isUnwritten(id),
  );
  return (
    <ul class="plain waiting-reviews" hidden={others.length + shown.unwritten.length === 0}>
      {shown.unwritten.map((text) => (
        <li key={text.id}>
          <UnwrittenText text={text} mayShow />
        </li>
      ))}
      {others.map(({ id, agentName, path }) => (
        <li key={id}>
          <span>{words("review.waiting", { agent: agentName, path: visibleLine(shownPath(path, folders)) })}</span>
          <button type="button" class="text-button" onClick={() => shown.show(id)}>
            {words("review.open")}
          </button>
        </li>
      ))}
    </ul>
  );
}
