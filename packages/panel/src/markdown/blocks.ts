import { Lexer, type Links, type MarkedToken, type Token } from "marked";

/** A finished or still growing part of a text, with what it was read from. */
export interface Block {
  /** Where it begins in the text; stable while the text grows. */
  readonly at: number;
  readonly raw: string;
  readonly token: MarkedToken;
  /** More text may still belong to it. */
  readonly isOpen: boolean;
}

const known: ReadonlySet<string> = new Set([
  "blockquote",
  "br",
  "checkbox",
  "code",
  "codespan",
  "def",
  "del",
  "em",
  "escape",
  "heading",
  "hr",
  "html",
  "image",
  "link",
  "list",
  "list_item",
  "paragraph",
  "space",
  "strong",
  "table",
  "text",
]);

/** Without extensions there are no others. */
export function isMarkedToken(token: Token): token is MarkedToken {
  return known.has(token.type);
}

/**
 * Reads Markdown that grows at its end. What has ended is read once and keeps its blocks, the same objects; only the last block is
 * read again when text comes.
 */
export class BlockReader {
  #closed: readonly Block[] = [];
  #closedText = "";
  #links: Links = {};
  #open: readonly Block[] = [];
  #text = "";
  #wasComplete = false;

  /** The blocks of a text that begins as the one before did, or of another one. */
  read(given: string, isComplete: boolean): readonly Block[] {
    // As the lexer does, so that places can be counted.
    const text = given.includes("\r") ? given.replaceAll(/\r\n?/gu, "\n") : given;
    if (text === this.#text && isComplete === this.#wasComplete) return [...this.#closed, ...this.#open];
    if (!text.startsWith(this.#closedText)) {
      this.#closed = [];
      this.#closedText = "";
      this.#links = {};
    }
    this.#text = text;
    this.#wasComplete = isComplete;
    const start = this.#closedText.length;
    const blocks = this.#lex(text.slice(start), start);
    const last = blocks.findLastIndex(({ token }) => token.type !== "space");
    const isClosed = (_block: Block, index: number): boolean => isComplete || index < last;
    this.#closed = [...this.#closed, ...blocks.filter(isClosed)];
    const open = blocks.filter((block, index) => !isClosed(block, index));
    this.#open = open.map((block) => ({ ...block, isOpen: true }));
    this.#closedText = text.slice(0, open[0]?.at ?? text.length);
    return [...this.#closed, ...this.#open];
  }

  #lex(text: string, start: number): readonly Block[] {
    const lexer = new Lexer();
    // Definitions of links hold from where they stand.
    Object.assign(lexer.tokens.links, this.#links);
    const tokens = lexer.lex(text);
    this.#links = tokens.links;
    let at = start;
    return tokens.flatMap((token): Block[] => {
      const block = { at, raw: token.raw, token, isOpen: false };
      at += token.raw.length;
      return isMarkedToken(token) ? [{ ...block, token }] : [];
    });
  }
}
