import type { SessionState } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useSaid } from "../../store/said.ts";
import { useAgentName, usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { formatDuration } from "../widgets/format.ts";
import { Icon } from "../widgets/icon.tsx";

/** What the session is doing, below the newest entry. */
export function StatusRow(): JSX.Element | undefined {
  const words = useWords();
  const agent = useAgentName();
  const state = useSelected(({ open }) => open?.state);
  const isEmpty = useSelected(({ open }) => (open?.entries.length ?? 0) === 0);
  // Its sentence and its button are there: one of each is enough.
  const hasNotice = useSelected(({ open }) =>
    open?.entries.slice(-2).some(({ entry }) => entry.kind === "notice" && entry.action === "restart"),
  );
  const isElsewhere = useSelected(({ open }) => open?.access.kind === "read-only");
  // What its agent does is known there.
  if (isElsewhere) return undefined;
  switch (state?.kind) {
    case "starting":
      return <Working text={words("state.starting", { agent })} />;
    case "running":
      return <Running since={state.since} />;
    case "retrying":
      return <Retrying state={state} />;
    case "signed-out":
      return <SignedOut state={state} />;
    case "ended":
      return (isEmpty && state.reason === undefined) || hasNotice === true ? undefined : <Ended state={state} />;
    default:
      return undefined;
  }
}

function Working({ text }: { readonly text: string }): JSX.Element {
  return (
    <p class="status" dir="auto">
      <span class="spinner" aria-hidden="true" />
      {text}
    </p>
  );
}

/** Drawn again each second while it is shown. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function Running({ since }: { readonly since: number }): JSX.Element {
  const words = useWords();
  const elapsed = useNow() - since;
  return (
    <Working
      text={elapsed < 2000 ? words("state.running") : `${words("state.running")} · ${formatDuration(elapsed, words)}`}
    />
  );
}

function Retrying({ state }: { readonly state: Extract<SessionState, { readonly kind: "retrying" }> }): JSX.Element {
  const words = useWords();
  const { attempt, reason, nextAt } = state;
  const seconds = Math.ceil((nextAt - useNow()) / 1000);
  return (
    <p class="status warning" dir="auto">
      <Icon name="warning" />
      {seconds > 0
        ? words("state.retrying", { attempt, reason, seconds })
        : words("state.retryingNow", { attempt, reason })}
    </p>
  );
}

function Ended({
  state: { reason },
}: {
  readonly state: Extract<SessionState, { readonly kind: "ended" }>;
}): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const agent = useAgentName();
  const conversation = useSelected(({ open }) => open?.id);
  return (
    <p class="status" dir="auto">
      {words("state.ended", { agent })}
      {/* Why stands in the notice above. */}
      {reason === undefined || conversation === undefined ? undefined : (
        <button type="button" class="button" onClick={() => panel.post({ type: "act", conversation, action: "retry" })}>
          {words("state.signInAgain")}
        </button>
      )}
    </p>
  );
}

/** The agent needs its own sign-in first: its ways to do so, and to try again. */
function SignedOut({ state }: { readonly state: Extract<SessionState, { readonly kind: "signed-out" }> }): JSX.Element {
  const words = useWords();
  const said = useSaid();
  const panel = usePanel();
  const agent = useAgentName();
  const conversation = useSelected(({ open }) => open?.id);
  const act = (action: "sign-in" | "retry", method?: string) => (): void => {
    if (conversation === undefined) return;
    panel.post({ type: "act", conversation, action, ...(method === undefined ? {} : { method }) });
  };
  return (
    <div class="notice notice-warning">
      <Icon name="warning" />
      <div class="notice-text">
        <p dir="auto">{words("state.signedOut", { agent })}</p>
        <div class="buttons">
          {state.methods.length === 0 ? (
            <button type="button" class="button primary" onClick={act("sign-in")}>
              {words("state.signIn")}
            </button>
          ) : (
            state.methods.map(({ id, name, description }, index) => (
              <button
                key={id}
                type="button"
                dir="auto"
                class={`button ${index === 0 ? "primary" : ""}`}
                title={description === undefined ? undefined : said(description)}
                onClick={act("sign-in", id)}
              >
                {said(name)}
              </button>
            ))
          )}
          <button type="button" class="button" onClick={act("retry")}>
            {words("state.signInAgain")}
          </button>
        </div>
      </div>
    </div>
  );
}
