import type { JSX } from "preact";
import { usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { Icon } from "../widgets/icon.tsx";
import { AddAgent, ConversationRows, inOrder } from "./conversation-list.tsx";

/** Shown while no conversation is open: the agents that are installed, and the newest conversations. */
export function Welcome(): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const agents = useSelected((state) => state.agents);
  const conversations = useSelected((state) => state.conversations);
  const notice = useSelected((state) => state.settings?.notice);
  const installed = agents.filter(({ isInstalled }) => isInstalled);
  const missing = agents.filter(({ isInstalled }) => !isInstalled);
  return (
    <div class="welcome">
      <h1>{words("welcome.title")}</h1>
      <p class="welcome-text">{words("welcome.text")}</p>
      {notice === undefined ? undefined : <p class="note">{notice}</p>}
      {installed.length === 0 && notice === undefined ? <p class="empty">{words("welcome.none")}</p> : undefined}
      <div class="welcome-agents">
        {installed.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            class="agent-button"
            onClick={() => panel.post({ type: "new-conversation", agent: id })}
          >
            <Icon name="add" />
            <span>{name}</span>
          </button>
        ))}
        <AddAgent class="agent-button agent-add" />
      </div>
      {conversations.length === 0 ? undefined : (
        <section aria-labelledby="recent">
          <h2 id="recent">{words("welcome.recent")}</h2>
          <ConversationRows conversations={inOrder(conversations).slice(0, 6)} />
          {conversations.length > 6 ? (
            <button type="button" class="text-button" onClick={() => panel.update({ isListing: true })}>
              {words("head.list")}
            </button>
          ) : undefined}
        </section>
      )}
      {missing.length === 0 || notice !== undefined ? undefined : (
        <details class="welcome-missing" open={installed.length === 0}>
          <summary>{words("welcome.missing")}</summary>
          <ul class="plain">
            {missing.map(({ id, name, installUrl }) => (
              <li key={id}>
                <span>{name}</span>
                {installUrl === undefined ? undefined : (
                  <button
                    type="button"
                    class="link"
                    title={installUrl}
                    onClick={() => panel.post({ type: "open-link", href: installUrl })}
                  >
                    {words("welcome.install", { agent: name })}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
