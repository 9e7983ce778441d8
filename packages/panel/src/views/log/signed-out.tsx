import type { SessionState } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useAgentName, usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { Icon } from "../widgets/icon.tsx";

/** The agent needs its own sign-in first: its ways to do so, and to try again. */
export function SignedOut({
  state,
}: {
  readonly state: Extract<SessionState, { readonly kind: "signed-out" }>;
}): JSX.Element {
  const words = useWords();
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
        <p>{words("state.signedOut", { agent })}</p>
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
                class={`button ${index === 0 ? "primary" : ""}`}
                title={description}
                onClick={act("sign-in", id)}
              >
                {name}
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
