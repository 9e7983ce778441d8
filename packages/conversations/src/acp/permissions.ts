import { isAbsolute, relative, resolve, sep } from "node:path";
import { type Clock, withTimeout } from "@patchbay/core";
import { splitByteOrderMark } from "@patchbay/core/texts";
import * as z from "zod";
import type { SessionHost } from "../driver.ts";
import type {
  Answer,
  Choice,
  FileChange,
  FormQuestion,
  FormValue,
  ProposedChange,
  Question,
  ToolEntry,
} from "../model/index.ts";
import { maybe, text } from "./lenient.ts";
import type { AcpProfile } from "./profiles.ts";
import { changeOf } from "./tool-calls.ts";
import type { DiffContent, PermissionOption, PermissionRequest } from "./wire.ts";

const choiceKinds = {
  allow_once: "allow-once",
  allow_always: "allow-always",
  reject_once: "reject-once",
  reject_always: "reject-always",
} as const;

/** What is known of the surroundings of a change. */
export interface ChangeContext {
  readonly profile: AcpProfile;
  readonly host: SessionHost;
  readonly cwd: string;
  readonly clock: Clock;
}

/** How long a file may take to be read before its change is asked for without it, ms. */
const readMs = 2_000;

/** What a permission request asks. `diffs`: all that the agent has told of its call, in this message or before. */
export async function questionOf(
  { call, options }: PermissionRequest,
  tool: ToolEntry,
  diffs: readonly DiffContent[],
  context: ChangeContext,
): Promise<Question> {
  const form = formOf(call.meta, tool.title);
  if (form !== undefined) return form;
  const choices = options.map(choiceFor);
  const words = (call.content ?? []).flatMap((part) => (part.type === "text" && part.text !== "" ? [part.text] : []));
  if (call.isModeSwitch && words.length > 0) return { type: "plan", plan: words.join("\n\n"), choices };
  const [diff, ...others] = diffs;
  // Several files in one question cannot be reviewed in one diff: they stand with their tool.
  const change = diff === undefined || others.length > 0 ? undefined : await proposedChange(diff, context);
  return {
    type: "permission",
    toolId: tool.id,
    title: titleOf(tool),
    ...(words.length === 0 ? {} : { reason: words.join("\n") }),
    ...(tool.command === undefined ? {} : { command: tool.command }),
    ...(tool.input === undefined ? {} : { input: tool.input }),
    ...(change === undefined ? {} : { change }),
    choices,
  };
}

/** Some agents name what they want to read by its path alone: what would happen to it has to be said. */
function titleOf({ tool, title, locations = [] }: ToolEntry): string {
  return tool === "read" && locations.some(({ path }) => path.endsWith(title)) ? `Read ${title}` : title;
}

function choiceFor({ id, name, kind }: PermissionOption): Choice {
  const rule = kind.endsWith("always") ? /: (?<rule>.+)$/su.exec(name)?.groups?.["rule"] : undefined;
  return { id, name, kind: choiceKinds[kind], ...(rule === undefined ? {} : { rule }) };
}

async function proposedChange(diff: DiffContent, context: ChangeContext): Promise<ProposedChange> {
  const { profile, cwd } = context;
  const path = resolve(cwd, diff.path);
  const change = await wholeChange({ ...diff, path }, context);
  const isReached = profile.usesFiles && (!profile.filesInFolderOnly || isBelow(cwd, path));
  return { ...change, isEditable: isReached && change.isFragment !== true };
}

/** Whether a path is in a folder, or is the folder. */
export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`));
}

/** A change with the whole text of its file, where that can be found: a part is replaced where it stands once. */
async function wholeChange(diff: DiffContent, { profile, host, clock }: ChangeContext): Promise<FileChange> {
  const { path, before = "", after } = diff;
  const found = await withTimeout(readMs, clock, host.readText(path)).then(
    (text) => ({ text }),
    () => undefined,
  );
  // One that cannot be read, or not in time, keeps no question back: it is shown as the agent tells it.
  if (found === undefined) return { path, ...(before === "" ? {} : { before }), after, isFragment: true };
  const { text: current } = found;
  if (current === undefined) return before === "" ? { path, after } : changeOf(diff, profile);
  // An empty file and one that is not there are told alike; without a text before, the file is replaced as a whole.
  if (before === "") return { path, before: current, after };
  const part = splitByteOrderMark(before).body;
  if (profile.sendsWholeFiles || part === splitByteOrderMark(current).body) return { path, before, after };
  const instead = part === before ? after : splitByteOrderMark(after).body;
  // Some tell parts of several lines with line feeds, whatever the file has.
  const whole = replacedOnce(current, part, instead) ?? replacedOnce(withLineFeeds(current), part, instead);
  return whole === undefined ? { path, before, after, isFragment: true } : { path, before: current, after: whole };
}

/** Undefined where the part does not stand in the text exactly once. */
function replacedOnce(text: string, part: string, instead: string): string | undefined {
  const start = text.indexOf(part);
  if (start === -1 || text.indexOf(part, start + 1) !== -1) return undefined;
  return text.slice(0, start) + instead + text.slice(start + part.length);
}

const withLineFeeds = (text: string): string => text.replaceAll("\r\n", "\n");

// --- Questions of the model that come as permissions (Qwen Code)

const userQuestions = z.object({
  qwenInteractionKind: z.literal("user_question"),
  qwenQuestions: z.array(
    z.object({
      question: z.string(),
      header: maybe(text),
      multiSelect: z.boolean().catch(false),
      options: z.array(z.object({ label: z.string(), description: maybe(text) })).catch([]),
    }),
  ),
});

function formOf(meta: unknown, title: string): FormQuestion | undefined {
  const found = userQuestions.safeParse(meta).data;
  if (found === undefined) return undefined;
  const fields = found.qwenQuestions.map(({ question, header, multiSelect, options }, index) => ({
    id: String(index),
    label: question,
    ...(header === undefined || header === "" ? {} : { description: header }),
    input: options.length === 0 ? ("text" as const) : multiSelect ? ("many-of" as const) : ("one-of" as const),
    isRequired: true,
    options: options.map(({ label, description }) => ({
      value: label,
      label,
      ...(description === undefined || description === "" ? {} : { description }),
    })),
    allowsOther: true,
  }));
  return { type: "form", message: title, fields };
}

/** What the answers to a form are told with, beside the outcome, by the index of their question. */
export function formAnswers(answer: Answer | undefined): Readonly<Record<string, unknown>> {
  if (answer?.type !== "form") return {};
  const answers = Object.entries(answer.values).map(([id, value]) => [id, wordsOf(value)]);
  return { answers: Object.fromEntries(answers) };
}

function wordsOf(value: FormValue): string {
  return typeof value === "object" ? value.join(", ") : String(value);
}
