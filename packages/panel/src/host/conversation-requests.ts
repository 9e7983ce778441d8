import type { Conversation } from "@patchbay/conversations";
import type { AgentInfo, ChangesMessage, ConversationMessage, HostMessage, Said } from "../messages/index.ts";
import type { PanelEditor } from "./editor.ts";
import { placedInLanguage, restoringInLanguage } from "./in-language.ts";
import type { OpenConversation, PanelLibrary } from "./library.ts";

export type ConversationRequest = ConversationMessage;

/** What brings something that the user has written, or decided. */
export const writings: ReadonlySet<ConversationRequest["type"]> = new Set(["send", "resend", "draft", "answer"]);

/** What a page's requests about a conversation work on. */
export interface ForConversation {
  readonly editor: PanelEditor;
  readonly library: PanelLibrary;
  infos(): readonly AgentInfo[];
  /** Answers the page. */
  post(message: HostMessage): void;
  /** Tells the other pages that show the conversation. */
  tellOthers(message: Extract<HostMessage, { type: "draft" }>): void;
  /** In the user's language. */
  readonly said: Said;
  /** The page shows another conversation from now on. */
  show(found: OpenConversation): void;
}

/** Does what a page asks of a conversation. */
export async function askConversation(
  message: ConversationRequest,
  { conversation, reviews }: OpenConversation,
  place: ForConversation,
): Promise<void> {
  const { editor, post } = place;
  switch (message.type) {
    case "send":
      // Another window may have taken it since the page was told.
      if (conversation.prompt(message.blocks, sendingOf(message)) !== undefined) return;
      post({ type: "insert", blocks: message.blocks });
      return editor.tell("warning", "This conversation is open in another window, so this was not sent.");
    case "draft":
      conversation.setDraft(message.draft);
      return place.tellOthers({ type: "draft", conversation: conversation.id, draft: message.draft });
    case "queue":
      return await changeQueue(message, conversation);
    case "stop":
      return await conversation.stop();
    case "answer":
      await answer(message, { conversation, reviews }, editor);
      return;
    case "option":
      return await conversation.setOption(message.id, message.value);
    case "older": {
      const entries = placedInLanguage(await conversation.entries.before(message.before), place.said);
      return post({ type: "page", conversation: conversation.id, entries });
    }
    case "find": {
      const places = await conversation.entries.find(message.text, new AbortController().signal);
      return post({ type: "found", request: message.request, places });
    }
    case "mentions": {
      const items = await editor.mentions(message.query, conversation.about.folder);
      return post({ type: "mentions", request: message.request, items });
    }
    case "pick":
      return post({ type: "insert", blocks: await editor.pick(message.id) });
    case "drop": {
      const blocks = await editor.dropped(message.uris);
      if (blocks.length > 0) return post({ type: "insert", blocks });
      return editor.tell("info", "There is no file here that agents may see.");
    }
    case "stop-task":
      return await conversation.agent.stopTask(message.id);
    case "facts":
      return await tellFacts(conversation, place);
    case "mcp-server":
      try {
        return await conversation.agent.changeServer(message.name, message.change);
      } finally {
        await tellFacts(conversation, place);
      }
    case "act":
      return await act(message, conversation, place);
    case "fork":
      return await fork(message.upTo, conversation, place);
    case "resend":
      return await resend(message, conversation, place);
    case "rewind":
      return await rewind(message, conversation, place);
  }
}

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u;

/** Agents take no other names of prompts than UUIDs. */
function sendingOf({
  id,
  before,
}: Extract<ConversationMessage, { type: "send" }>): Parameters<Conversation["prompt"]>[1] {
  return {
    ...(before === undefined ? {} : { before }),
    ...(id === undefined || !uuid.test(id) ? {} : { id }),
  };
}

async function changeQueue(
  { id, action }: Extract<ConversationMessage, { type: "queue" }>,
  { queue, status }: Conversation,
): Promise<void> {
  if (action === "send-now") await queue.sendNow(id);
  else if (action === "earlier") queue.move(id, Math.max(0, status.queue.findIndex((one) => one.id === id) - 1));
  else queue.remove(id);
}

async function answer(
  message: Extract<ConversationMessage, { type: "answer" }>,
  { conversation, reviews }: OpenConversation,
  editor: PanelEditor,
): Promise<void> {
  if (conversation.status.access.kind === "own") await reviews.answer(message.id, message.answer);
  else editor.tell("warning", "This conversation is open in another window. Answer there.");
}

/** Before a prompt: its words stand in the composer of the new conversation, to be changed and sent again. */
async function fork(
  beforePrompt: string | undefined,
  conversation: Conversation,
  { editor, library, show }: ForConversation,
): Promise<void> {
  const prompt = beforePrompt === undefined ? undefined : await conversation.entries.entry(beforePrompt);
  const forked = await library.fork(conversation.id, beforePrompt);
  if (forked === undefined) return editor.tell("warning", notOnDisk);
  if (prompt?.kind === "prompt") {
    const last = prompt.blocks.findLast(({ type }) => type === "text");
    forked.conversation.setDraft({ blocks: prompt.blocks, caret: last?.type === "text" ? last.text.length : 0 });
  }
  show(forked);
}

/** An earlier prompt with other words: in a new conversation that goes on from there. */
async function resend(
  { prompt, blocks }: Extract<ConversationMessage, { type: "resend" }>,
  conversation: Conversation,
  { editor, library, post, show }: ForConversation,
): Promise<void> {
  const forked = await library.fork(conversation.id, prompt);
  if (forked === undefined) {
    post({ type: "insert", blocks });
    return editor.tell("warning", notOnDisk);
  }
  show(forked);
  forked.conversation.prompt(blocks);
}

const notOnDisk = "This conversation is not saved on disk, so it cannot be copied.";

async function rewind(
  { prompt, dryRun }: Extract<ConversationMessage, { type: "rewind" }>,
  conversation: Conversation,
  { editor, post, said }: ForConversation,
): Promise<void> {
  const restoring = restoringInLanguage(await conversation.rewind(prompt, dryRun), said);
  const { canRewind, reason, files } = restoring;
  const left = files.filter((file) => file.reason !== undefined);
  if (dryRun) {
    const about: ChangesMessage = { kind: "restoring", prompt, restoring };
    post({ type: "changes", about });
  } else if (!canRewind) editor.tell("warning", reason ?? "The files could not be restored.");
  else if (left.length > 0) editor.tell("warning", left.map((file) => `${file.path}: ${file.reason}`).join("\n"));
}

async function tellFacts(conversation: Conversation, { post }: ForConversation): Promise<void> {
  post({ type: "facts", conversation: conversation.id, facts: (await conversation.agent.facts()) ?? null });
}

async function act(
  { action, method }: Extract<ConversationMessage, { type: "act" }>,
  conversation: Conversation,
  { editor, library, infos }: ForConversation,
): Promise<void> {
  switch (action) {
    case "take-over":
      if (!(await library.takeOver(conversation.id))) {
        editor.tell("warning", "The other window did not release this conversation. Close it there.");
      }
      return;
    case "restart":
      return await conversation.restart();
    case "retry":
      return await conversation.retry();
    case "install": {
      const url = infos().find(({ id }) => id === conversation.about.agent)?.installUrl;
      if (url !== undefined) await editor.openLink(url);
      return;
    }
    case "sign-in": {
      const { state } = conversation.status;
      const methods = state.kind === "signed-out" ? state.methods : [];
      const chosen = methods.find(({ id }) => id === method) ?? methods[0];
      const { agent, folder } = conversation.about;
      if (chosen?.command === undefined) await editor.startInTerminal(agent, folder);
      else await editor.runInTerminal(agent, chosen.name, chosen.command, folder);
      return;
    }
    case "terminal":
      return await continueInTerminal(conversation, editor);
  }
}

/** One session is for one process: the panel's own ends first. */
async function continueInTerminal(conversation: Conversation, editor: PanelEditor): Promise<void> {
  const { agent, folder, sessionId } = conversation.about;
  if (sessionId === undefined) {
    return editor.tell("info", "This conversation has no session yet that a terminal could continue.");
  }
  await conversation.endAgent();
  await editor.startInTerminal(agent, folder, sessionId);
}
