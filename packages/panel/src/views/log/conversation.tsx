import type { ConversationSnapshot } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { type Later, later } from "../widgets/later.tsx";
import { Log } from "./log.tsx";

export const Announcer: Later<object> = later();
export const ChangesBar: Later<{ readonly conversation: string }> = later();
export const FindBar: Later<{ readonly conversation: string }> = later();

/** All of a conversation that is read: what is written stands below it. */
export function Conversation({
  open,
  isFinding,
}: {
  readonly open: ConversationSnapshot;
  readonly isFinding: boolean;
}): JSX.Element {
  return (
    <>
      {isFinding ? <FindBar conversation={open.id} /> : undefined}
      <Log key={open.id} open={open} />
      <div class="foot">
        <ChangesBar conversation={open.id} />
      </div>
      <Announcer />
    </>
  );
}
