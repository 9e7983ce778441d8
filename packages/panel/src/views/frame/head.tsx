import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAgentName, usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { Icon, IconButton } from "../widgets/icon.tsx";
import { type Later, later } from "../widgets/later.tsx";
import { Menu } from "../widgets/menu.tsx";
import type { MenuItem } from "../widgets/menu-popup.tsx";

/** The title as a field. */
export const Rename: Later<{
  readonly conversation: string;
  readonly before: string;
  readonly onEnd: () => void;
}> = later();

/** Who works, and where. */
export const Worker: Later<object> = later();

/** The head of the open conversation: what it is, and what can be done with it. */
export function Head({ conversation }: { readonly conversation: string }): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const isListing = useSelected((state) => state.isListing);
  const waiting = useSelected(
    ({ conversations }) => conversations.filter(({ id, state }) => state === "waiting" && id !== conversation).length,
  );
  const name = useSelected(({ open }) => open?.title) ?? "";
  const canFork = useSelected(({ open }) => open?.capabilities?.fork === true);
  const agent = useAgentName();
  const tellsFacts = useSelected(({ open }) => open?.capabilities?.facts === true);
  const [isRenaming, setRenaming] = useState(false);
  const offersNotices = useSelected(({ settings }) => settings?.offersNotices === true);
  const acts: Readonly<Record<string, () => void>> = {
    rename: () => setRenaming(true),
    markdown: () => panel.post({ type: "open-conversation", conversation, as: "markdown" }),
    tab: () => panel.post({ type: "open-conversation", conversation, as: "tab" }),
    terminal: () => panel.post({ type: "act", conversation, action: "terminal" }),
    fork: () => panel.post({ type: "fork", conversation }),
    notify: () => panel.post({ type: "notify" }),
    about: () => panel.update({ about: {}, isListing: false }),
  };
  const items: readonly MenuItem[] = [
    { id: "rename", name: words("head.rename"), icon: "edit" },
    ...(canFork ? [{ id: "fork", name: words("head.fork"), icon: "agent" } as const] : []),
    { id: "terminal", name: words("head.terminal"), icon: "terminal" },
    { id: "tab", name: words("head.tab"), icon: "open" },
    { id: "markdown", name: words("head.markdown"), icon: "file" },
    ...(offersNotices ? [{ id: "notify", name: words("connection.notify"), icon: "bell" } as const] : []),
    ...(tellsFacts ? [{ id: "about", name: words("head.about", { agent }), icon: "info" } as const] : []),
  ];
  return (
    <header class="head">
      <span class="with-count">
        <IconButton
          icon="list"
          label={words("head.list")}
          isPressed={isListing}
          onClick={() => panel.update({ isListing: !isListing, about: undefined })}
        />
        {waiting > 0 ? <span class="count">{waiting}</span> : undefined}
      </span>
      {isRenaming ? (
        <Rename conversation={conversation} before={name} onEnd={() => setRenaming(false)} />
      ) : (
        <h1 class="head-title" title={name}>
          <span class="head-name" dir="auto">
            {name === "" ? words("head.untitled") : name}
          </span>
          <Worker />
        </h1>
      )}
      <IconButton
        icon="search"
        label={words("head.find")}
        onClick={() => panel.update({ isFinding: true, isListing: false, about: undefined })}
      />
      <NewConversation />
      <Menu label={words("head.more")} items={items} onPick={(id) => acts[id]?.()} place="below" class="icon-menu">
        <Icon name="more" />
      </Menu>
    </header>
  );
}

/** One agent: begins at once. Several: asks which. */
function NewConversation(): JSX.Element | undefined {
  const words = useWords();
  const panel = usePanel();
  const agents = useSelected((state) => state.agents);
  const installed = agents.filter(({ isInstalled }) => isInstalled);
  const [only] = installed;
  const begin = (agent: string): void => {
    panel.update({ isListing: false });
    panel.post({ type: "new-conversation", agent });
  };
  if (only === undefined) return undefined;
  if (installed.length === 1) {
    return <IconButton icon="add" label={words("head.new")} onClick={() => begin(only.id)} />;
  }
  return (
    <Menu
      label={words("head.new")}
      items={installed.map(({ id, name }) => ({ id, name: words("head.newWith", { agent: name }) }))}
      onPick={begin}
      place="below"
      class="icon-menu"
    >
      <Icon name="add" />
    </Menu>
  );
}
