import type { Files } from "@patchbay/core";
import type { Conversation } from "@patchbay/conversations";
import type { ChangedFile, Entry, FormQuestion, PromptBlock, QuestionEntry } from "@patchbay/conversations/model";
import type { ChangesMessage, DocumentMessage, PastMessage, Said } from "../messages/index.ts";
import type { PanelEditor } from "./editor.ts";
import { leftInLanguage } from "./in-language.ts";
import type { OpenConversation } from "./library.ts";
import { pastSides } from "./past-sides.ts";
import { viewForPage } from "./turn-views.ts";

/** Where a page's wishes go. */
export interface DocumentPlace {
  readonly editor: PanelEditor;
  readonly files: Pick<Files, "lstat">;
  readonly said: Said;
  /** Tells the page something of what turns did. */
  readonly post: (about: ChangesMessage) => void;
  /** Has the page show what was done, where no editor does. */
  readonly show: (about: PastMessage) => void;
}

/** Opens in the editor what a page asks for. */
export async function openForPage(
  message: DocumentMessage,
  shown: OpenConversation | undefined,
  place: DocumentPlace,
): Promise<void> {
  const { editor } = place;
  switch (message.type) {
    case "open-link":
      return await editor.openLink(message.href);
    case "open-text":
      return await editor.openDocument(message.text, message.language);
    case "insert-text":
      return await editor.insertText(message.text);
    case "copy":
      return await editor.copy(message.text);
    default:
      // What is about another conversation than the one that is shown is late.
      if (shown === undefined || message.conversation !== shown.conversation.id) return;
      return await openOf(message, shown, place);
  }
}

async function openOf(
  message: Extract<DocumentMessage, { readonly conversation: string }>,
  { conversation, reviews }: OpenConversation,
  place: DocumentPlace,
): Promise<void> {
  const { editor } = place;
  switch (message.type) {
    case "open-file":
      return await openFile(message, conversation, place);
    case "open-diff":
      if (await reviews.reveal(message.entry)) return;
      return await openChange(message, conversation, place);
    case "open-entry": {
      const entry = await conversation.entries.entry(message.entry);
      if (entry !== undefined)
        await editor.openDocument(wholeText(entry), entry.kind === "tool" ? "plaintext" : "markdown");
      return;
    }
    case "open-conversation":
      if (message.as === "tab") return await editor.openInTab(conversation.id);
      return await editor.openDocument(await asMarkdown(conversation), "markdown");
    case "changes":
      return await changes(message, conversation, place);
  }
}

/** The file, or one that is meant: agents leave out folders that are plain to them. */
async function openFile(
  { path, line }: Extract<DocumentMessage, { type: "open-file" }>,
  conversation: Conversation,
  { editor, files, said }: DocumentPlace,
): Promise<void> {
  const named = resolvePath(conversation, path);
  // What cannot be looked at is the editor's to open, and to say why not.
  const isThere = await files.lstat(named).then(
    (facts) => facts !== undefined,
    () => true,
  );
  if (isThere) return await editor.openFile(named, line);
  const meant = await nearestFile(named, conversation.about.folder, editor);
  if (meant !== undefined) return await editor.openFile(meant, line);
  editor.tell("warning", said(`There is no file ${path}.`));
}

const partsOf = (path: string): readonly string[] => path.split(/[\\/]/u).filter((part) => part !== "" && part !== ".");

/** Of the files with that name the one whose path ends most like it, the shortest of several. */
async function nearestFile(named: string, folder: string, editor: PanelEditor): Promise<string | undefined> {
  const wanted = partsOf(named).toReversed();
  const paths = (await editor.mentions(wanted[0] ?? "", folder)).flatMap(({ kind, block }) =>
    kind === "file" && block?.type === "mention" ? [block.path] : [],
  );
  const alike = (path: string): number => {
    const different = partsOf(path)
      .toReversed()
      .findIndex((part, index) => part !== wanted[index]);
    return different === -1 ? wanted.length : different;
  };
  const [best] = paths.toSorted((one, other) => alike(other) - alike(one) || one.length - other.length);
  return best !== undefined && alike(best) > 0 ? best : undefined;
}

async function openChange(
  { entry: id, path }: Extract<DocumentMessage, { type: "open-diff" }>,
  conversation: Conversation,
  { editor, show }: DocumentPlace,
): Promise<void> {
  const entry = await conversation.entries.entry(id);
  const asked = entry?.kind === "question" && entry.question.type === "permission" ? entry.question.change : undefined;
  const changes = entry?.kind === "tool" ? (entry.changes ?? []) : asked === undefined ? [] : [asked];
  const made = changes.find((one) => one.path === path);
  if (made === undefined) return;
  const change = { ...made, path: resolvePath(conversation, path) };
  if (editor.openChanges === undefined) show({ type: "past", paths: [change.path], sides: change });
  else await editor.openChanges([change], conversation.status.title);
}

/** Opens, keeps, undoes or redoes what a turn did to its files: a hunk of one, one, or all. */
async function changes(
  { turn, action, path, hunk }: Extract<DocumentMessage, { type: "changes" }>,
  conversation: Conversation,
  place: DocumentPlace,
): Promise<void> {
  const { editor, said, post, show } = place;
  const files = conversation.status.turns.find((one) => one.turn === turn)?.files ?? [];
  const meant = files.filter((one) => path === undefined || one.path === path);
  if (action === "view") return await view(turn, path, conversation, post);
  if (action === "review") return await review(turn, meant, conversation, place);
  if (action === "sides") {
    for (const file of meant)
      show({ type: "past-sides", turn, sides: await pastSides(turn, file.path, conversation.files) });
    return;
  }
  const part = { ...(path === undefined ? {} : { path }), ...(hunk === undefined ? {} : { hunk }) };
  if (action === "keep") return await conversation.files.keep(turn, part);
  const left = await (action === "undo"
    ? conversation.files.undo(turn, part, await isNowOrNever(turn, part, meant, conversation))
    : conversation.files.redo(turn, part));
  if (left.length === 0) return;
  editor.tell(
    "warning",
    leftInLanguage(left, said)
      .map((file) => `${file.path}: ${file.reason}`)
      .join("\n"),
  );
}

/** Whoever asks again for what waits for the end of the turn does not want to wait. */
async function isNowOrNever(
  turn: string,
  { path, hunk }: { readonly path?: string; readonly hunk?: string },
  meant: readonly ChangedFile[],
  { files }: Conversation,
): Promise<boolean> {
  if (path !== undefined && hunk !== undefined)
    return (await files.view(turn, path))?.hunks?.find(({ id }) => id === hunk)?.state === "queued";
  return meant.length > 0 && meant.every(({ state }) => state === "queued" || state === "undone");
}

async function view(
  turn: string,
  path: string | undefined,
  { files }: Conversation,
  post: DocumentPlace["post"],
): Promise<void> {
  if (path === undefined) return;
  const found = await files.view(turn, path);
  post({ kind: "view", turn, path, ...(found === undefined ? {} : { view: viewForPage(found) }) });
}

/** Shows what was done to files; of those whose earlier text is not known, the file itself. */
async function review(
  turn: string,
  files: readonly ChangedFile[],
  conversation: Conversation,
  { editor, show }: DocumentPlace,
): Promise<void> {
  if (files.length === 0) return;
  if (editor.openChanges === undefined) return show({ type: "past", turn, paths: files.map(({ path }) => path) });
  const found = await Promise.all(
    files.map(async ({ path }) => ({ path, change: await conversation.files.change(turn, path) })),
  );
  const known = found.flatMap(({ change }) => change ?? []);
  if (known.length > 0) await editor.openChanges(known, conversation.status.title);
  for (const { path, change } of found) if (change === undefined) await editor.openFile(path, undefined);
}

async function asMarkdown(conversation: Conversation): Promise<string> {
  const parts = [`# ${conversation.status.title}`];
  for await (const { entry } of conversation.entries.all()) {
    const text = textOf(entry);
    if (text !== "") parts.push(entry.kind === "prompt" ? `## ${text}` : text);
  }
  return `${parts.join("\n\n")}\n`;
}

/** As the agent wrote it: absolute, or from the conversation's folder. */
function resolvePath(conversation: Conversation, path: string): string {
  return /^(?:\/|[A-Za-z]:[\\/])/u.test(path) ? path : `${conversation.about.folder}/${path}`;
}

/** What was said, without what tools returned; empty for what says nothing. */
export function textOf(entry: Entry): string {
  switch (entry.kind) {
    case "prompt":
      return entry.blocks.map(blockText).join(" ");
    case "message":
    case "notice":
      return entry.text;
    case "tool":
      return `- ${entry.title === "" ? entry.name : entry.title}`;
    case "plan":
      return entry.steps.map(({ text, state }) => `- [${state === "done" ? "x" : " "}] ${text}`).join("\n");
    case "question":
      return answered(entry);
    default:
      return "";
  }
}

/** What the agent planned or asked, and the answer. What it asked for a tool stands with that. */
function answered({ question, outcome }: QuestionEntry): string {
  const answer = outcome?.type === "answered" ? outcome.summary : "";
  switch (question.type) {
    case "permission":
      return "";
    case "plan":
      return [question.plan, answer === "" ? "" : `> ${answer}`].filter((part) => part !== "").join("\n\n");
    case "form":
      return [answer === "" ? formText(question) : question.message, ...answer.split("\n")]
        .filter((part) => part !== "")
        .map((line) => `> ${line}`)
        .join("\n");
  }
}

/** Everything that an entry holds, for a document or a search. */
export function wholeText(entry: Entry): string {
  switch (entry.kind) {
    case "tool":
      return [entry.title, entry.command, entry.input, entry.output].filter((part) => part !== undefined).join("\n\n");
    case "thought":
      return entry.text;
    case "notice":
      return [entry.text, entry.detail].filter((part) => part !== undefined).join("\n\n");
    case "question":
      return entry.question.type === "form" ? formText(entry.question) : questionText(entry.question);
    default:
      return textOf(entry);
  }
}

function formText({ message, fields }: FormQuestion): string {
  return [message, ...fields.map(({ label }) => label)].filter((part) => part !== "").join("\n\n");
}

function questionText(question: {
  readonly type: "permission" | "plan";
  readonly title?: string;
  readonly plan?: string;
  readonly command?: string;
}): string {
  return [question.title, question.plan, question.command].filter((part) => part !== undefined).join("\n\n");
}

function blockText(block: PromptBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "mention":
      return `@${block.path}`;
    case "excerpt":
      return block.title;
    case "image":
      return block.name ?? "image";
  }
}
