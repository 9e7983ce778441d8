import type { MarkedToken, Token, Tokens } from "marked";
import type { ComponentChild, ComponentType, JSX, VNode } from "preact";
import { useRef } from "preact/hooks";
import { CodeBlock } from "../code/code-block.tsx";
import { usePanel, useSelected, useWords } from "../store/use-panel.ts";
import { pure } from "../views/widgets/pure.tsx";
import { unturned } from "../views/widgets/visible-text.ts";
import { type Block, BlockReader, isMarkedToken } from "./blocks.ts";
import { decodeReferences, linkTarget, namesFile } from "./links.ts";

/**
 * Markdown as elements. No string of HTML exists on the way: what looks like HTML in the text is shown as the text that it is,
 * and a link leads to the web or to a file or nowhere.
 */
export const Markdown: ComponentType<{ readonly text: string; readonly isComplete: boolean }> = pure(
  ({ text, isComplete }) => {
    const reader = useRef<BlockReader | undefined>(undefined);
    const drawn = useRef(new WeakMap<Block, VNode>());
    reader.current ??= new BlockReader();
    return (
      <div class="markdown" dir="auto">
        {reader.current.read(text, isComplete).map((block) => {
          // The same object again: it is not even compared.
          const before = drawn.current.get(block);
          if (before !== undefined) return before;
          const now = <BlockElement key={block.at} token={block.token} isFinished={!block.isOpen} />;
          drawn.current.set(block, now);
          return now;
        })}
      </div>
    );
  },
);

function BlockElement({
  token,
  isFinished,
}: {
  readonly token: MarkedToken;
  readonly isFinished: boolean;
}): ComponentChild {
  return blockElement(token, isFinished);
}

function blockElement(token: MarkedToken, isFinished: boolean): ComponentChild {
  switch (token.type) {
    case "paragraph":
      return <p dir="auto">{inline(token.tokens)}</p>;
    case "heading":
      return heading(token);
    case "code":
      return <CodeBlock code={token.text} language={languageOf(token.lang)} isFinished={isFinished} />;
    case "list":
      return listElement(token, isFinished);
    case "blockquote":
      return <blockquote dir="auto">{blockElements(token.tokens, isFinished)}</blockquote>;
    case "table":
      return <TableElement token={token} />;
    case "hr":
      return <hr />;
    case "space":
    case "def":
      return undefined;
    case "html":
      return token.block ? <p class="raw">{unturned(token.text.trimEnd())}</p> : unturned(token.text);
    default:
      return inlineElement(token);
  }
}

function blockElements(tokens: readonly Token[], isFinished: boolean): readonly ComponentChild[] {
  return tokens.filter(isMarkedToken).map((token) => blockElement(token, isFinished));
}

/** Below the headings of the page itself, which are of the levels 1 and 2. */
function heading({ depth, tokens }: Tokens.Heading): JSX.Element {
  const children = inline(tokens);
  if (depth === 1) return <h3 class="h1">{children}</h3>;
  if (depth === 2) return <h4 class="h2">{children}</h4>;
  return depth === 3 ? <h5 class="h3">{children}</h5> : <h6 class="h4">{children}</h6>;
}

/** The first word of what stands behind the fence. */
function languageOf(info: string | undefined): string {
  return /^[\w#+.-]+/u.exec(info ?? "")?.[0].toLowerCase() ?? "";
}

function listElement(list: Tokens.List, isFinished: boolean): JSX.Element {
  const items = list.items.map((item, index) => (
    <li key={index} class={item.task ? "task" : undefined} dir="auto">
      {item.tokens.filter(isMarkedToken).map((token) => listPart(token, isFinished))}
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start)}>{items}</ol> : <ul>{items}</ul>;
}

/** Items that are not set apart have bare text instead of paragraphs. */
function listPart(token: MarkedToken, isFinished: boolean): ComponentChild {
  return token.type === "text" ? textElement(token) : blockElement(token, isFinished);
}

function TableElement({ token }: { readonly token: Tokens.Table }): JSX.Element {
  const words = useWords();
  const cells = (row: readonly Tokens.TableCell[]): readonly JSX.Element[] =>
    row.map((cell, index) => {
      const align = token.align[index] ?? "start";
      const children = inline(cell.tokens);
      return cell.header ? (
        <th key={index} class={`align-${align}`} scope="col">
          {children}
        </th>
      ) : (
        <td key={index} class={`align-${align}`}>
          {children}
        </td>
      );
    });
  return (
    // Wide tables scroll in themselves, also by keys.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div class="table" tabIndex={0} role="group" aria-label={words("table.label")}>
      <table>
        <thead>
          <tr>{cells(token.header)}</tr>
        </thead>
        <tbody>
          {token.rows.map((row, index) => (
            <tr key={index}>{cells(row)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[] | undefined): readonly ComponentChild[] {
  return (tokens ?? []).filter(isMarkedToken).map(inlineElement);
}

function inlineElement(token: MarkedToken): ComponentChild {
  switch (token.type) {
    case "text":
      return textElement(token);
    case "escape":
      return token.text;
    case "strong":
      return <strong>{inline(token.tokens)}</strong>;
    case "em":
      return <em>{inline(token.tokens)}</em>;
    case "del":
      return <del>{inline(token.tokens)}</del>;
    case "codespan":
      return namesFile(token.text) ? (
        <Link address={token.text}>
          <code dir="ltr">{unturned(token.text)}</code>
        </Link>
      ) : (
        <code dir="ltr">{unturned(token.text)}</code>
      );
    case "br":
      return <br />;
    case "link":
      return <Link address={token.href}>{inline(token.tokens)}</Link>;
    case "image":
      return <ImageLink address={token.href} text={token.text} />;
    case "checkbox":
      return <input type="checkbox" checked={token.checked} disabled aria-hidden="true" />;
    default:
      return token.raw;
  }
}

function textElement(token: Tokens.Text): ComponentChild {
  return token.tokens === undefined ? unturned(decodeReferences(token.text)) : inline(token.tokens);
}

/** A link shows its whole address when pointed at, and is opened by the host. */
function Link({ address, children }: { readonly address: string; readonly children?: ComponentChild }): JSX.Element {
  const panel = usePanel();
  const conversation = useSelected((state) => state.open?.id);
  const target = linkTarget(decodeReferences(address));
  if (target === undefined) return <span class="dead-link">{children}</span>;
  const open = (event: Event): void => {
    event.preventDefault();
    if (target.kind === "web") panel.post({ type: "open-link", href: target.href });
    else if (conversation !== undefined) {
      const { path, line } = target;
      panel.post({ type: "open-file", conversation, path, ...(line === undefined ? {} : { line }) });
    }
  };
  if (target.kind === "file") {
    return (
      <button type="button" class="link" title={target.path} onClick={open}>
        {children}
      </button>
    );
  }
  return (
    <a href={target.href} title={target.href} rel="noreferrer" onClick={open} onAuxClick={open}>
      {children}
    </a>
  );
}

/** Nothing is fetched: an image is a link to it that says where it leads, whatever it calls itself. */
function ImageLink({ address, text }: { readonly address: string; readonly text: string }): JSX.Element {
  const words = useWords();
  const where = words("image.remote", { address });
  return <Link address={address}>{unturned(text === "" ? where : `${text} (${where})`)}</Link>;
}
