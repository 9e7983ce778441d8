import { basename } from "node:path";
import type { Logger } from "@patchbay/core";
import * as z from "zod";
import type { SessionHost } from "../driver.ts";
import type {
  Answer,
  FileChange,
  FormField,
  FormOption,
  FormQuestion,
  FormValue,
  PermissionQuestion,
  ToolEntry,
} from "../model/index.ts";
import { rpcCodes } from "./failures.ts";
import { FileDoor } from "./file-door.ts";
import type { Answered } from "./json-rpc.ts";
import { maybe, text } from "./lenient.ts";
import type { SessionOffers } from "./offers.ts";
import { choiceOf, editedText, isAllowing, type OpenQuestions } from "./open-questions.ts";
import { formAnswers, questionOf } from "./permissions.ts";
import type { AcpProfile } from "./profiles.ts";
import { contentOf, type EditedFile, type PromptForm } from "./prompts.ts";
import type { TextStreams, UpdateSink } from "./sink.ts";
import { type FinishedCall, ToolCalls } from "./tool-calls.ts";
import {
  permissionResult,
  readElicitation,
  readPermissionRequest,
  readReadRequest,
  readWriteRequest,
} from "./v1/messages.ts";
import type { ElicitationRequest, PermissionRequest } from "./wire.ts";

/** What serving requests needs of its session. */
export interface RequestContext {
  readonly profile: AcpProfile;
  readonly host: SessionHost;
  readonly cwd: string;
  readonly logger: Logger;
  readonly sink: UpdateSink;
  readonly texts: TextStreams;
  readonly offers: SessionOffers;
  readonly questions: OpenQuestions;
  /** The user has stopped the turn: nothing is asked any more. */
  isStopped(): boolean;
  /** How blocks are sent to this agent. */
  promptForm(): PromptForm;
}

/** Serves what an agent asks of us: may it go on, files, and values. */
export class AgentRequests {
  readonly tools: ToolCalls;
  readonly door: FileDoor;
  readonly #context: RequestContext;
  /** Calls that the user was asked about, and files that calls have written through the door. */
  readonly #asked: Set<string> = new Set();
  readonly #written: Set<string> = new Set();

  constructor(context: RequestContext) {
    const { profile, host, logger, sink, offers } = context;
    this.#context = context;
    this.tools = new ToolCalls(profile, sink, (call) => this.#finished(call));
    this.door = new FileDoor({
      profile,
      host,
      logger,
      clock: sink.clock,
      asks: () => offers.asks,
      ask: (change) => this.#askToWrite(change),
      askToRead: (path) => this.#askToRead(path),
      onWritten: (change, isAsked, callId) => this.#wrote(change, isAsked, callId),
    });
  }

  /** Undefined: a method that is not known. */
  serve(method: string, params: unknown, withdrawn: AbortSignal): Promise<Answered> | undefined {
    switch (method) {
      case "session/request_permission":
        return orInvalid(readPermissionRequest(params), (request) => this.#permit(request, withdrawn));
      case "fs/read_text_file":
        return orInvalid(readReadRequest(params), (request) => this.door.read(request));
      case "fs/write_text_file":
        return orInvalid(readWriteRequest(params), (request) => this.door.write(request));
      case "elicitation/create":
        return orInvalid(readElicitation(params), async (request) => {
          const form = elicitedForm(request);
          const answer = await this.#context.questions.ask(form, withdrawn);
          return { kind: "result", value: elicitationResult(form, answer) };
        });
      case "craft/drainMidTurnQueue":
        return this.#drain();
      default:
        return undefined;
    }
  }

  /** The model is told of edits that the user has changed; each once, and where the user sees it. */
  async takeEdited(): Promise<readonly EditedFile[]> {
    const edited = await this.door.takeEdited();
    for (const { path } of edited) {
      this.#context.sink.notice("info", `${this.#context.profile.name} was told how ${basename(path)} reads now.`);
    }
    return edited;
  }

  async #permit(request: PermissionRequest, withdrawn: AbortSignal): Promise<Answered> {
    const { questions, texts } = this.#context;
    const { id } = request.call;
    texts.end();
    // Words beside the question are about what is to be done: nothing has been printed yet.
    const content = request.call.content?.filter((part) => part.type === "diff");
    const tool = this.tools.hear({ ...request.call, content }, true);
    this.tools.setState(id, "waiting");
    const question = await questionOf(request, tool, this.tools.diffsOf(id), {
      ...this.#context,
      clock: this.#context.sink.clock,
    });
    if (this.#context.isStopped()) {
      this.tools.setState(id, "cancelled");
      return { kind: "result", value: permissionResult(undefined) };
    }
    const change = question.type === "permission" ? question.change : undefined;
    if (change !== undefined) this.tools.know(id, change);
    this.#asked.add(id);
    const answer = await questions.ask(question, withdrawn);
    if (question.type === "form") {
      const kind = answer?.type === "form" ? "allow_once" : "reject_once";
      const option = answer === undefined ? undefined : request.options.find((one) => one.kind === kind);
      this.tools.setState(id, answer?.type === "form" ? "running" : "rejected");
      return { kind: "result", value: permissionResult(option?.id, formAnswers(answer)) };
    }
    const choice = choiceOf(question.choices, answer);
    if (isAllowing(choice)) {
      // Some agents write it by themselves then.
      if (change !== undefined) await this.#context.host.aboutToWrite?.(change.path);
      if (change?.after !== undefined) {
        const { path, before, after: proposed } = change;
        this.door.allow(path, { callId: id, before, proposed, edited: editedText(question, answer) });
      }
      const isForGood = choice?.kind === "allow-always";
      if (isForGood && tool.tool === "edit") this.door.allowEdits();
      if (tool.tool !== "execute") this.door.allowReads(pathsOf(tool), isForGood && tool.tool === "read");
      this.tools.setState(id, "running");
    } else {
      this.tools.setState(id, answer === undefined || answer.type === "cancel" ? "cancelled" : "rejected");
    }
    return { kind: "result", value: permissionResult(choice?.id) };
  }

  /** The agent reads a file outside the workspace without having asked. */
  async #askToRead(path: string): Promise<"file" | "folder" | undefined> {
    const { questions, sink, profile } = this.#context;
    if (this.#context.isStopped()) return undefined;
    const callId = this.tools.openOn(path) ?? sink.nextId("read");
    const title = `Read ${basename(path)}`;
    const tool = this.tools.entryOf(callId) ?? this.tools.hear(ownCall(callId, "read", path, title));
    const question: PermissionQuestion = {
      type: "permission",
      toolId: tool.id,
      title,
      reason: `${profile.name} reads this file outside the workspace without having asked.`,
      choices: [
        { id: "allow", name: "Allow", kind: "allow-once" },
        { id: "folder", name: "Allow for This Folder", kind: "allow-always" },
        { id: "reject", name: "Reject", kind: "reject-once" },
      ],
    };
    this.tools.setState(callId, "waiting");
    const choice = choiceOf(question.choices, await questions.ask(question, new AbortController().signal));
    this.tools.setState(callId, isAllowing(choice) ? "running" : "rejected");
    if (!isAllowing(choice)) return undefined;
    return choice?.kind === "allow-always" ? "folder" : "file";
  }

  /** The agent writes what nobody was asked about, in a mode in which it asks: its own settings may allow it, the user has not. */
  async #askToWrite(change: FileChange): Promise<{ readonly text: string } | undefined> {
    const { questions, sink, profile } = this.#context;
    const callId = this.tools.openOn(change.path) ?? sink.nextId("write");
    const title = `Write ${basename(change.path)}`;
    const tool = this.tools.entryOf(callId) ?? this.tools.hear(ownCall(callId, "edit", change.path, title));
    this.tools.know(callId, change);
    const question: PermissionQuestion = {
      type: "permission",
      toolId: tool.id,
      title,
      reason: `${profile.name} writes this file without having asked.`,
      change: { ...change, isEditable: true },
      choices: [
        { id: "allow", name: "Allow", kind: "allow-once" },
        { id: "reject", name: "Reject", kind: "reject-once" },
      ],
    };
    if (this.#context.isStopped()) return undefined;
    this.tools.setState(callId, "waiting");
    const answer = await questions.ask(question, new AbortController().signal);
    const isAllowed = isAllowing(choiceOf(question.choices, answer));
    this.tools.setState(callId, isAllowed ? "running" : "rejected");
    return isAllowed ? { text: editedText(question, answer) ?? change.after ?? "" } : undefined;
  }

  #wrote(change: FileChange, isAsked: boolean, callId: string | undefined): void {
    const id = callId ?? this.tools.openOn(change.path);
    const toolId = id === undefined ? undefined : this.tools.entryOf(id)?.id;
    if (id !== undefined) {
      this.tools.know(id, change);
      this.#written.add(`${id}\n${change.path}`);
    }
    const { path } = change;
    this.#context.sink.fire({ type: "file-changed", path, ...(toolId === undefined ? {} : { toolId }), isAsked });
  }

  /** A call has ended. What it changed without us is told now. */
  #finished({ id, entry }: FinishedCall): void {
    this.door.forget(id);
    const isAsked = this.#asked.delete(id);
    for (const { path } of entry.changes ?? []) {
      const isTold = this.#written.delete(`${id}\n${path}`);
      if (isTold || entry.state !== "done") continue;
      this.#context.sink.fire({ type: "file-changed", path, toolId: entry.id, isAsked });
    }
  }

  /** One agent asks between two steps of a turn what the user has said meanwhile: it need not wait for the next prompt. */
  async #drain(): Promise<Answered> {
    const edited = await this.takeEdited();
    const items = edited.map((file) => ({
      content: contentOf([], [file], this.#context.promptForm()).blocks,
      displayText: `The edit of ${file.path} was changed before it was accepted.`,
    }));
    const queue = items.length === 0 ? { messages: [] } : { items };
    return { kind: "result", value: { ...queue, hasQueuedPrompt: false } };
  }
}

function orInvalid<T>(request: T | undefined, serve: (request: T) => Promise<Answered>): Promise<Answered> {
  if (request !== undefined) return serve(request);
  return Promise.resolve({ kind: "error", error: { code: rpcCodes.invalidParams, message: "Invalid params" } });
}

/** The files that a call names. */
function pathsOf({ locations = [], changes = [] }: ToolEntry): readonly string[] {
  return [...locations, ...changes].map(({ path }) => path);
}

/** A call of which the agent has told nothing. */
function ownCall(id: string, kind: "edit" | "read", path: string, title: string): PermissionRequest["call"] {
  return {
    id,
    title,
    kind,
    isModeSwitch: false,
    status: "pending",
    content: undefined,
    locations: [{ path }],
    rawInput: undefined,
    rawOutput: undefined,
    meta: {},
  };
}

const constants = z
  .array(z.object({ const: text, title: maybe(text), description: maybe(text) }))
  .transform((options) =>
    options.map(({ const: value, title, description }) => ({
      value,
      label: title ?? value,
      ...(description === undefined ? {} : { description }),
    })),
  );
const optionalConstants = maybe(constants);
const names = maybe(z.array(z.string()));

/** A property of a form as JSON Schema has it: the kinds that the Model Context Protocol allows in forms. */
const property = z.object({
  type: maybe(text),
  title: maybe(text),
  description: maybe(text),
  enum: names,
  enumNames: names,
  oneOf: optionalConstants,
  items: maybe(z.object({ enum: names, anyOf: optionalConstants, oneOf: optionalConstants })),
  default: maybe(z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
});

/** One agent has a second property for what is not among the options, named after the first. */
const otherSuffix = "_custom";

/** The form that an agent asks to have filled in. */
function elicitedForm({ message, properties, required }: ElicitationRequest): FormQuestion {
  const ids = Object.keys(properties);
  const fields = ids.flatMap((id): readonly FormField[] => {
    const found = property.safeParse(properties[id]).data;
    const owner = id.endsWith(otherSuffix) ? id.slice(0, -otherSuffix.length) : undefined;
    if (found === undefined || (owner !== undefined && ids.includes(owner))) return [];
    const options = optionsOf(found);
    return [
      {
        id,
        label: found.title ?? found.description ?? id,
        ...(found.title === undefined || found.description === undefined ? {} : { description: found.description }),
        input: inputOf(found, options),
        isRequired: required.includes(id),
        ...(options === undefined ? {} : { options }),
        ...(ids.includes(`${id}${otherSuffix}`) ? { allowsOther: true } : {}),
        ...(found.default === undefined ? {} : { initial: found.default }),
      },
    ];
  });
  return { type: "form", message, fields };
}

function optionsOf({
  enum: values,
  enumNames,
  oneOf,
  items,
}: z.output<typeof property>): readonly FormOption[] | undefined {
  const listed = values ?? items?.enum;
  return (
    oneOf ??
    items?.anyOf ??
    items?.oneOf ??
    listed?.map((value, index) => ({ value, label: enumNames?.[index] ?? value }))
  );
}

function inputOf({ type }: z.output<typeof property>, options: readonly FormOption[] | undefined): FormField["input"] {
  if (options !== undefined) return type === "array" ? "many-of" : "one-of";
  if (type === "boolean") return "boolean";
  return type === "number" || type === "integer" ? "number" : "text";
}

/** What `elicitation/create` is answered with. */
function elicitationResult(form: FormQuestion, answer: Answer | undefined): unknown {
  if (answer?.type === "reject") return { action: "decline" };
  if (answer?.type !== "form") return { action: "cancel" };
  const content = Object.entries(answer.values).flatMap(([id, value]) => {
    const field = form.fields.find((one) => one.id === id);
    return field === undefined ? [] : valuesOf(field, value);
  });
  return { action: "accept", content: Object.fromEntries(content) };
}

/** What is not among the options goes into the property that is there for it. */
function valuesOf(field: FormField, value: FormValue): readonly (readonly [string, FormValue])[] {
  const isOther = (one: string): boolean => field.options?.some((option) => option.value === one) === false;
  if (field.allowsOther !== true) return [[field.id, value]];
  if (typeof value === "string") return [[isOther(value) ? `${field.id}${otherSuffix}` : field.id, value]];
  if (typeof value !== "object") return [[field.id, value]];
  const others = value.filter(isOther);
  const chosen: readonly (readonly [string, FormValue])[] = [[field.id, value.filter((one) => !isOther(one))]];
  return others.length === 0 ? chosen : [...chosen, [`${field.id}${otherSuffix}`, others.join(", ")]];
}
