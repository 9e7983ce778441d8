import { argv, pid, stdout } from "node:process";
import { createNodePlatform, nullLogger } from "@patchbay/core";
import { Conversation } from "../../src/conversation/conversation.ts";
import { ConversationStore } from "../../src/transcript/conversation-store.ts";
import { nodeLineFiles } from "../../src/transcript/line-files.ts";
import { noHost } from "./no-host.ts";
import { ScriptedSession } from "./scripted-session.ts";

/** A window in which an agent streams and a user types, a hundred times a second, until it is killed. Run by a test. */
const [, , directory = ""] = argv;
const platform = createNodePlatform();
const { clock, random } = platform;
const store = new ConversationStore({ platform, files: nodeLineFiles, directory, logger: nullLogger });
const sessions: ScriptedSession[] = [];
const conversation = await Conversation.open({
  about: { id: "c1", agent: "claude", folder: "/w", at: 0, usedAt: 0, title: "", titleFrom: "nobody" },
  openFile: () => store.open("c1"),
  storage: store.values,
  host: noHost,
  connect: (request) => {
    const session = new ScriptedSession(request, () => {});
    sessions.push(session);
    return session;
  },
  clock,
  random,
  logger: nullLogger,
});
conversation.prompt([{ type: "text", text: `of ${pid}` }]);

let count = 0;
setInterval(() => {
  const [session] = sessions;
  if (session?.isInTurn !== true) return;
  session.stream("m1", `${count} `);
  conversation.setDraft({ blocks: [{ type: "text", text: `${count} ` }], caret: 0 });
  stdout.write(`${count}\n`);
  count += 1;
}, 10);
