import { existsSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { originOf } from "../../scripts/origin.ts";

/** The repository, whose documents are the pages. */
export const root: string = resolve(import.meta.dirname, "../../..");

/** Documents outside of `docs`, with the page that each is. */
export const elsewhere: Readonly<Record<string, string>> = {
  "apps/vscode/README.md": "editors/vscode.md",
  "apps/theia/README.md": "editors/theia.md",
  "apps/coc-nvim/README.md": "editors/vim.md",
  "packages/cli/README.md": "editors/terminal.md",
  "packages/core/README.md": "extend/core.md",
  "packages/conversations/README.md": "extend/conversations.md",
  "packages/testkit/README.md": "extend/testkit.md",
  "CONTRIBUTING.md": "extend/contributing.md",
};

/** Where a document of the repository is on the site; undefined where it is no page. */
export function pageOf(document: string): string | undefined {
  const page = elsewhere[document] ?? (document.startsWith("docs/") ? document.slice("docs/".length) : undefined);
  return page?.endsWith(".md") === true ? page : undefined;
}

const { repository } = originOf("");
const address = repository.url.replace(/^git\+|\.git$/gu, "");

/**
 * A link of a document as the site has it: to the page, where its target is one, and to the repository otherwise.
 * @throws Error where the target is not there.
 */
export function siteLink(href: string, document: string): string {
  if (/^(?:[a-z]+:|#|\/)/u.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const target = relative(root, join(root, dirname(document), decodeURI(path))).replaceAll(sep, "/");
  if (target.startsWith("..") || !existsSync(join(root, target))) {
    // Of GitHub's own pages, such as `../blob/main`, there are none in documents.
    throw new Error(`${document}: ${href} leads nowhere.`);
  }
  const end = anchor === undefined ? "" : `#${anchor}`;
  const page = pageOf(target);
  if (page !== undefined) return `/${page.replace(/(?:index)?\.md$/u, "")}${end}`;
  return `${address}/${path.endsWith("/") ? "tree" : "blob"}/main/${posix.normalize(target)}${end}`;
}
