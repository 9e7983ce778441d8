import type { JSX } from "preact";
import { useSelected } from "../../store/use-panel.ts";
import { type Later, later } from "../widgets/later.tsx";
import { Log } from "./log.tsx";

export const Announcer: Later<object> = later();
export const BackgroundTasks: Later<{ readonly conversation: string }> = later();
export const ChangesBar: Later<{ readonly conversation: string }> = later();
export const FindBar: Later<{ readonly conversation: string }> = later();

/** All of a conversation that is read: what is written stands below it. */
export function Conversation({ id, isFinding }: { readonly id: string; readonly isFinding: boolean }): JSX.Element {
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
