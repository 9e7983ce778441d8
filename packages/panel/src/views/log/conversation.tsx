import type { ConversationSnapshot } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { Announcer } from "./announcer.tsx";
import { ChangesBar } from "./changes-bar.tsx";
import { FindBar } from "./find-bar.tsx";
import { Log } from "./log.tsx";

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
