import type { MessageEntry, SessionUpdate, ThoughtEntry } from "../model/index.ts";
import type { AssistantMessage, ContentBlock, StreamEvent, Tokens, ToolUseBlock } from "./codec.ts";

/** What comes of the messages of a model. */
export interface MessageSink {
  now(): number;
  update(update: SessionUpdate): void;
  /** A tool is used. Not `isWhole`: its input is still being written. */
  onTool(use: ToolUseBlock, parent: string | undefined, isWhole: boolean): void;
  onTokens(tokens: Tokens, parent: string | undefined): void;
}

interface OpenBlock {
  readonly id: string;
  readonly kind: "message" | "thought" | "tool" | "other";
  readonly at: number;
  text: string;
  isWhole: boolean;
}

interface OpenMessage {
  readonly id: string;
  readonly parent: string | undefined;
  readonly blocks: Map<number, OpenBlock>;
}

/**
 * Makes entries of what a model says: it comes as the provider's stream, and each block once more whole, in a message of its
 * own with the id of the message to which it belongs.
 */
export class ModelMessages {
  readonly #sink: MessageSink;
  /** By their ids. */
  readonly #messages: Map<string, OpenMessage> = new Map();
  /** What is being streamed, by the tool call that its subagent runs for: the events name no message. */
  readonly #streamed: Map<string | undefined, OpenMessage> = new Map();

  #lastText: string | undefined;

  constructor(sink: MessageSink) {
    this.#sink = sink;
  }

  streamed(event: StreamEvent, parent: string | undefined): void {
    if (event.type === "message_start") {
      this.#streamed.set(parent, this.#message(event.message.id, parent));
      if (event.message.usage !== undefined) this.#sink.onTokens(event.message.usage, parent);
      return;
    }
    const message = this.#streamed.get(parent);
    if (message === undefined || event.type === "other") return;
    if (event.type === "content_block_start") {
      this.#begin(message, event.index, event.content_block);
      return;
    }
    const block = message.blocks.get(event.index);
    if (event.type !== "content_block_delta" || block === undefined || block.isWhole) return;
    if (event.delta.type === "text_delta") this.#append(message, block, event.delta.text);
    else if (event.delta.type === "thinking_delta") this.#append(message, block, event.delta.thinking);
  }

  whole({ message: { id, content, usage }, parent_tool_use_id }: AssistantMessage): void {
    const parent = parent_tool_use_id ?? undefined;
    if (usage !== undefined) this.#sink.onTokens(usage, parent);
    const message = this.#message(id, parent);
    for (const block of content) this.#finish(message, block);
  }

  /** The text that was said last. */
  get lastText(): string | undefined {
    return this.#lastOpenText() ?? this.#lastText;
  }

  #lastOpenText(): string | undefined {
    for (const message of [...this.#messages.values()].reverse()) {
      if (message.parent !== undefined) continue;
      const said = [...message.blocks.values()].filter(({ kind, text }) => kind === "message" && text !== "");
      if (said.length > 0) return said.map(({ text }) => text).join("\n\n");
    }
    return undefined;
  }

  /** Nothing more comes of these messages: what was cut off stays as it is. */
  end(): void {
    for (const message of this.#messages.values()) {
      for (const block of message.blocks.values()) {
        if (block.isWhole || block.text === "") continue;
        block.isWhole = true;
        this.#tell(message, block);
      }
    }
    this.#lastText = this.lastText;
    this.#messages.clear();
    this.#streamed.clear();
  }

  #message(id: string, parent: string | undefined): OpenMessage {
    const known = this.#messages.get(id);
    if (known !== undefined) return known;
    const message = { id, parent, blocks: new Map<number, OpenBlock>() };
    this.#messages.set(id, message);
    return message;
  }

  #begin(message: OpenMessage, index: number, content: ContentBlock): OpenBlock {
    const block = {
      id: `${message.id}.${index}`,
      kind: kindOf(content),
      at: this.#sink.now(),
      text: "",
      isWhole: false,
    };
    message.blocks.set(index, block);
    if (content.type === "tool_use") this.#sink.onTool(content, message.parent, false);
    return block;
  }

  #append(message: OpenMessage, block: OpenBlock, text: string): void {
    if (text === "" || (block.kind !== "message" && block.kind !== "thought")) return;
    block.text += text;
    this.#sink.update({ type: "append", id: block.id, to: block.kind, text, ...parentOf(message) });
  }

  #finish(message: OpenMessage, content: ContentBlock): void {
    const kind = kindOf(content);
    // They come in their order, each behind the beginning of its stream.
    const open = [...message.blocks.values()].find((block) => !block.isWhole && block.kind === kind);
    const block = open ?? this.#begin(message, Math.max(-1, ...message.blocks.keys()) + 1, content);
    block.isWhole = true;
    if (content.type === "tool_use") this.#sink.onTool(content, message.parent, true);
    if (content.type === "text") block.text = content.text;
    if (content.type === "thinking") block.text = content.thinking;
    // Models may think without showing it, and end with an empty text.
    if (block.text !== "") this.#tell(message, block);
  }

  #tell(message: OpenMessage, block: OpenBlock): void {
    if (block.kind !== "message" && block.kind !== "thought") return;
    const entry: MessageEntry | ThoughtEntry = {
      kind: block.kind,
      id: block.id,
      at: block.at,
      text: block.text,
      isComplete: true,
      ...parentOf(message),
    };
    this.#sink.update({ type: "entry", entry });
  }
}

function kindOf(content: ContentBlock): OpenBlock["kind"] {
  switch (content.type) {
    case "text":
      return "message";
    case "thinking":
      return "thought";
    case "tool_use":
      return "tool";
    default:
      return "other";
  }
}

function parentOf({ parent }: OpenMessage): { readonly parent?: string } {
  return parent === undefined ? {} : { parent };
}
