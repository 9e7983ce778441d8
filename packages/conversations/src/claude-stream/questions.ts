import { splitByteOrderMark } from "@patchbay/core/texts";
import {
  type Answer,
  type Choice,
  filledIn,
  type FormField,
  type FormQuestion,
  type FormValue,
  type PermissionQuestion,
  type PlanQuestion,
  type ProposedChange,
  type Question,
  type QuestionOutcome,
} from "../model/index.ts";
import type { FileWrite } from "./file-writes.ts";
import { modeOf } from "./options.ts";
import { askedQuestions, type CanUseTool, type PermissionUpdate } from "./requests.ts";
import { isFileTool, pathIn, shownInput, titleOf, type ToolInput } from "./tool-facts.ts";

/** What is known of the surroundings of a question. */
export interface QuestionFacts {
  readonly cwd: string;
  /** The file that the tool is about, as the editor has it; undefined where there is none. */
  readonly before: string | undefined;
  /** What the tool makes of it; undefined where it writes no text. */
  readonly write: FileWrite | undefined;
  /** The file could not be read: nothing is known of it. */
  readonly isUnknown: boolean;
  /** What the model wrote as the input of the tool. */
  readonly input: ToolInput;
  /** What the model said last. */
  readonly lastText: string | undefined;
}

/** The id of the choice to allow it this time. */
const once = "allow";
const always = "always-";

/** Makes a question to the user of what Claude Code asks. */
export function questionOf(ask: CanUseTool, facts: QuestionFacts): Question {
  if (ask.tool_name === "AskUserQuestion") return formOf(ask) ?? permissionOf(ask, facts);
  return ask.tool_name === "ExitPlanMode" ? planOf(ask, facts) : permissionOf(ask, facts);
}

function planOf(ask: CanUseTool, { input, lastText }: QuestionFacts): PlanQuestion {
  // The question comes without the plan, which stands in the use of the tool, or in what was said before.
  const written = [ask.input["plan"], input["plan"]].find((plan) => typeof plan === "string" && plan !== "");
  return {
    type: "plan",
    plan: typeof written === "string" ? written : (lastText ?? ""),
    choices: [
      { id: once, name: "Yes, go ahead", kind: "allow-once" },
      ...suggested(ask),
      { id: "reject", name: "No, keep planning", kind: "reject-once" },
    ],
  };
}

function permissionOf(ask: CanUseTool, facts: QuestionFacts): PermissionQuestion {
  const { cwd } = facts;
  const change = changeAskedFor(ask, facts);
  const reason = ask.decision_reason;
  return {
    type: "permission",
    toolId: ask.tool_use_id,
    title: titleOf(ask.tool_name, ask.input, cwd),
    ...(reason === undefined ? {} : { reason }),
    ...shownInput(ask.tool_name, ask.input),
    ...(change === undefined ? {} : { change }),
    choices: [
      { id: once, name: "Yes", kind: "allow-once" },
      ...suggested(ask),
      { id: "reject", name: "No", kind: "reject-once" },
    ],
  };
}

function changeAskedFor(ask: CanUseTool, { cwd, before, write, isUnknown }: QuestionFacts): ProposedChange | undefined {
  const path = isFileTool(ask.tool_name) ? pathIn(ask.input, cwd) : undefined;
  if (path === undefined) return undefined;
  const after = write?.textAfter(before);
  // Whether it replaces anything is not known.
  if (isUnknown && after !== undefined) return { path, after, isFragment: true, isEditable: false };
  if (after !== undefined) return { path, ...(before === undefined ? {} : { before }), after, isEditable: true };
  const { old_string: from, new_string: to } = ask.input;
  if (typeof from !== "string" || typeof to !== "string") return undefined;
  return { path, before: from, after: to, isFragment: true, isEditable: false };
}

/** What would need no question from then on: each is a choice of its own, with its whole rule. */
function suggested(ask: CanUseTool): readonly Choice[] {
  return (ask.permission_suggestions ?? []).flatMap((update, index): readonly Choice[] => {
    if (ask.suppress_always_allow_rule === true && update.type === "addRules") return [];
    const rule = ruleOf(update);
    if (rule === undefined) return [];
    const { type, destination, mode } = update;
    const choice = { id: `${always}${index}`, kind: "allow-always" } as const;
    if (type !== "setMode" || mode === undefined) return [{ ...choice, name: allowing(rule, destination), rule }];
    const { name, description = rule } = modeOf(mode);
    const switching =
      destination === "session"
        ? `Yes, and switch to “${name}” for this session. ${description}`
        : `Yes, and switch to “${name}”. ${description}`;
    return [{ ...choice, name: switching, rule: description }];
  });
}

/** Undefined for what is no permission, or one that is not understood: nothing is offered that cannot be shown. */
function ruleOf({ type, behavior, rules, directories, mode }: PermissionUpdate): string | undefined {
  if (type === "addRules" && behavior === "allow" && rules !== undefined && rules.length > 0) {
    return rules
      .map(({ toolName, ruleContent }) => (ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`))
      .join(", ");
  }
  if (type === "addDirectories" && directories !== undefined && directories.length > 0) {
    return `files in ${directories.join(", ")}`;
  }
  // What never asks is chosen in the options, where it is explained.
  if (type === "setMode" && mode !== undefined && mode !== "bypassPermissions") return mode;
  return undefined;
}

function allowing(rule: string, destination: string | undefined): string {
  switch (destination) {
    case "session":
      return `Yes, and allow ${rule} for this session`;
    case "localSettings":
      return `Yes, and always allow ${rule} in this folder`;
    case "projectSettings":
      return `Yes, and always allow ${rule} in this project, for everybody`;
    case "userSettings":
      return `Yes, and always allow ${rule} everywhere`;
    default:
      return `Yes, and allow ${rule} from now on`;
  }
}

function formOf(ask: CanUseTool): FormQuestion | undefined {
  const asked = askedQuestions.safeParse(ask.input);
  if (!asked.success || asked.data.questions.length === 0) return undefined;
  const fields = asked.data.questions.map(({ question, header, multiSelect, options }, index): FormField => {
    const list = options.map(({ label, description }) => ({
      value: label,
      label,
      ...(description === undefined ? {} : { description }),
    }));
    return {
      id: `question-${index}`,
      label: question,
      ...(header === undefined ? {} : { description: header }),
      input: list.length === 0 ? "text" : multiSelect === true ? "many-of" : "one-of",
      isRequired: true,
      ...(list.length === 0 ? {} : { options: list, allowsOther: true }),
    };
  });
  return { type: "form", message: "", fields };
}

/** What is sent back, and how the question ended. */
export interface Settlement {
  readonly response: Readonly<Record<string, unknown>>;
  readonly outcome: QuestionOutcome;
  readonly isAllowed: boolean;
  /** The text of the file as the user made it: the model is told of it. */
  readonly editedText?: string;
}

/** Undefined where the answer does not fit the question. */
export function settle(
  ask: CanUseTool,
  question: Question,
  answer: Answer,
  facts: QuestionFacts,
): Settlement | undefined {
  switch (answer.type) {
    case "reject":
      return rejected(answer.message ?? "");
    case "cancel":
      return {
        response: { behavior: "deny", message: plainRejection, interrupt: true },
        outcome: { type: "withdrawn" },
        isAllowed: false,
      };
    case "form":
      return question.type === "form" ? filled(ask, question, answer.values) : undefined;
    case "choice":
      return question.type === "form" ? undefined : chosen(ask, question, answer, facts);
  }
}

function chosen(
  ask: CanUseTool,
  question: PermissionQuestion | PlanQuestion,
  answer: Extract<Answer, { type: "choice" }>,
  facts: QuestionFacts,
): Settlement | undefined {
  const choice = question.choices.find(({ id }) => id === answer.choiceId);
  if (choice === undefined) return undefined;
  if (choice.kind === "reject-once" || choice.kind === "reject-always") return rejected("");
  const change = question.type === "permission" ? question.change : undefined;
  const isEdited = change?.isEditable === true && answer.text !== undefined && answer.text !== change.after;
  const update = choice.id.startsWith(always)
    ? ask.permission_suggestions?.[Number(choice.id.slice(always.length))]
    : undefined;
  return {
    response: {
      behavior: "allow",
      updatedInput: isEdited ? editedInput(ask, answer.text, facts.before) : ask.input,
      ...(update === undefined ? {} : { updatedPermissions: [update] }),
    },
    outcome: { type: "answered", summary: choice.name, isAllowed: true, ...(isEdited ? { isEdited: true } : {}) },
    isAllowed: true,
    ...(isEdited ? { editedText: answer.text } : {}),
  };
}

/** The input by which the file becomes what the user wants: an edit replaces its whole text. */
function editedInput(ask: CanUseTool, text: string, before: string | undefined): ToolInput {
  if (ask.tool_name === "Write") return { ...ask.input, content: text };
  const edit = { old_string: seenByClaude(before ?? ""), new_string: seenByClaude(text) };
  if (ask.tool_name === "MultiEdit") return { ...ask.input, edits: [edit] };
  return { ...ask.input, ...edit, replace_all: false };
}

/** Claude Code knows files with line feeds alone and without a byte order mark, and writes back what the file has. */
function seenByClaude(text: string): string {
  return splitByteOrderMark(text).body.replaceAll("\r\n", "\n");
}

/** What the model reads where the user has not said why. */
const plainRejection =
  "The user does not want this. Do not try it again in another way; ask what they want instead, or go on with something else.";

function rejected(message: string): Settlement {
  const said = message.trim();
  return {
    response: { behavior: "deny", message: said === "" ? plainRejection : `The user rejected this, and says: ${said}` },
    outcome: { type: "answered", summary: said === "" ? "No" : `No: ${said}`, isAllowed: false },
    isAllowed: false,
  };
}

function filled(ask: CanUseTool, { fields }: FormQuestion, values: Readonly<Record<string, FormValue>>): Settlement {
  const answers = fields.flatMap(({ id, label }): readonly (readonly [string, string])[] => {
    const value = values[id];
    if (value === undefined) return [];
    return [[label, typeof value === "object" ? value.join(", ") : String(value)]];
  });
  return {
    response: { behavior: "allow", updatedInput: { ...ask.input, answers: Object.fromEntries(answers) } },
    outcome: { type: "answered", summary: filledIn(fields, values), isAllowed: true },
    isAllowed: true,
  };
}
