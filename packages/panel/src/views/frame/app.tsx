import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { PanelStore } from "../../store/store.ts";
import { PanelContext, usePanel, usePanelEvent, useSelected, useWords } from "../../store/use-panel.ts";
import { Composer } from "../composer/composer.tsx";
import { Log } from "../log/log.tsx";
import { Boundary } from "../widgets/boundary.tsx";
import { type Later, later } from "../widgets/later.tsx";
import { Head } from "./head.tsx";

export const AgentFacts: Later<{ readonly conversation: string }> = later();
export const Announcer: Later<object> = later();
export const BackgroundTasks: Later<{ readonly conversation: string }> = later();
export const ChangesBar: Later<{ readonly conversation: string }> = later();
export const ConversationList: Later<object> = later();
export const Elsewhere: Later<{ readonly conversation: string }> = later();
export const FindBar: Later<{ readonly conversation: string }> = later();
export const Welcome: Later<object> = later();

/** The whole page. What fails in it can be loaded again: the host has everything, and the draft is kept. */
export function App({ store }: { readonly store: PanelStore }): JSX.Element {
  const [round, setRound] = useState(0);
  return (
    <PanelContext.Provider value={store}>
      <Boundary
        key={round}
        instead={
          <Failure
            onReload={() => {
              store.post({
                type: "ready",
                ...(store.kept.conversation === undefined ? {} : { conversation: store.kept.conversation }),
              });
              setRound(round + 1);
            }}
          />
        }
        onFailure={(error) =>
          store.post({
            type: "failed",
            message: error instanceof Error ? (error.stack ?? error.message) : String(error),
          })
        }
      >
        <Page />
      </Boundary>
    </PanelContext.Provider>
  );
}

function Failure({ onReload }: { readonly onReload: () => void }): JSX.Element {
  const words = useWords();
  return (
    <div class="failure" role="alert">
      <p>{words("page.failed")}</p>
      <button type="button" class="button primary" onClick={onReload}>
        {words("page.reload")}
      </button>
    </div>
  );
}

function Page(): JSX.Element | undefined {
  const panel = usePanel();
  // By its id alone: what streams concerns the log, and nothing else is drawn again for it.
  const conversation = useSelected((state) => state.open?.id);
  const hasSettings = useSelected((state) => state.settings !== undefined);
  const isListing = useSelected((state) => state.isListing);
  const isFinding = useSelected((state) => state.isFinding);
  const isAbout = useSelected((state) => state.about !== undefined);
  const isCovered = isListing || isAbout;
  usePanelEvent((event) => {
    if (event.type !== "command") return;
    if (event.command === "find") panel.update({ isFinding: true, isListing: false, about: undefined });
    if (event.command === "list") panel.update({ isListing: true, about: undefined });
  });
  useFocusReports();
  useFonts();
  if (!hasSettings) return undefined;
  if (conversation === undefined) return <main class="page">{isListing ? <ConversationList /> : <Welcome />}</main>;
  /** From message to message. On a Mac these keys move the caret of a text. */
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, altKey, ctrlKey, metaKey, shiftKey, target } = event;
    if (!altKey || ctrlKey || metaKey || shiftKey || (key !== "ArrowUp" && key !== "ArrowDown")) return;
    if (panel.state.settings?.isMac === true && target instanceof HTMLTextAreaElement) return;
    event.preventDefault();
    panel.emit({ type: "command", command: key === "ArrowUp" ? "previous-prompt" : "next-prompt" });
  };
  return (
    <div class="page" onKeyDown={onKeyDown}>
      <Head conversation={conversation} />
      <main class="main">
        {isListing ? <ConversationList /> : isAbout ? <AgentFacts conversation={conversation} /> : undefined}
        {/* Hidden, not gone: what was open in it stays open. */}
        <div class="conversation" hidden={isCovered}>
          <Conversation id={conversation} isFinding={isFinding && !isCovered} />
          <Foot />
        </div>
      </main>
    </div>
  );
}

/** All of a conversation that is read: what is written stands below it. */
function Conversation({ id, isFinding }: { readonly id: string; readonly isFinding: boolean }): JSX.Element {
  return (
    <>
      {isFinding ? <FindBar conversation={id} /> : undefined}
      <OpenLog />
      <div class="foot">
        <BackgroundTasks conversation={id} />
        <ChangesBar conversation={id} />
      </div>
      <Announcer />
    </>
  );
}

function OpenLog(): JSX.Element | undefined {
  const open = useSelected((state) => state.open);
  return open === undefined ? undefined : <Log key={open.id} open={open} />;
}

function Foot(): JSX.Element | undefined {
  const words = useWords();
  const id = useSelected((state) => state.open?.id);
  const access = useSelected((state) => state.open?.access);
  const isKept = useSelected((state) => state.open?.isKept);
  if (id === undefined) return undefined;
  return (
    <div class="foot">
      {isKept === false ? <p class="note foot-note">{words("access.notKept")}</p> : undefined}
      {access?.kind === "read-only" ? <Elsewhere conversation={id} /> : <Composer conversation={id} />}
    </div>
  );
}

/** The user's own fonts for conversations. */
function useFonts(): void {
  const settings = useSelected((state) => state.settings);
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    const set = (name: string, value: string | undefined): void => {
      if (value === undefined) style.removeProperty(name);
      else style.setProperty(name, value);
    };
    set("--panel-font-family", settings?.fontFamily);
    set("--panel-font-size", settings?.fontSize === undefined ? undefined : `${settings.fontSize}px`);
  }, [settings]);
}

/** The editor's keys depend on where the keyboard is. */
function useFocusReports(): void {
  const panel = usePanel();
  useEffect(() => {
    let before = "";
    const report = (): void => {
      const hasFocus = document.hasFocus();
      const isInQuestion = hasFocus && document.activeElement?.closest("[data-question]") !== null;
      const now = `${hasFocus} ${isInQuestion}`;
      if (now !== before) panel.post({ type: "focus", hasFocus, isInQuestion });
      before = now;
    };
    const events = ["focus", "blur", "focusin", "focusout"] as const;
    for (const event of events) addEventListener(event, report);
    return () => {
      for (const event of events) removeEventListener(event, report);
    };
  }, [panel]);
}
