import { relative, sep } from "node:path";
import { defineConfig } from "vitepress";
import { originOf } from "../../scripts/origin.ts";
import { elsewhere, root, siteLink } from "./pages.ts";

const { repository } = originOf("");

/** An entry that leads to the page of a document, which has to be there. */
function to(text: string, document: string): { readonly text: string; readonly link: string } {
  return { text, link: siteLink(document, "README.md") };
}

export default defineConfig({
  title: "Patchbay",
  description: "The editor side of terminal coding agents",
  lang: "en",
  srcDir: root,
  // Documents are in `docs`, and what `elsewhere` names.
  srcExclude: [
    "**/node_modules/**",
    "**/{dist,lib,test,src,bench,doc}/**",
    "**/CHANGELOG.md",
    "apps/*/media/**",
    "packages/{panel,turns}/**",
    "{tooling,release,coverage}/**",
    ".*/**",
    "{README,SECURITY,CODE_OF_CONDUCT}.md",
  ],
  rewrites: (document) => elsewhere[document] ?? document.replace(/^docs\//u, ""),
  outDir: "dist",
  cacheDir: "node_modules/.cache/vitepress",
  cleanUrls: true,
  lastUpdated: false,
  // Where it is served below a path, as on GitHub Pages.
  base: process.env["SITE_BASE"] ?? "/",
  vite: {
    plugins: [
      {
        name: "documents-above",
        enforce: "pre",
        // Documents are above this folder, and become modules that ask for Vue from where they are.
        async resolveId(id, importer, options) {
          if (!/^vue(?:\/|$)/u.test(id) || importer?.endsWith(".md") !== true) return undefined;
          return await this.resolve(id, import.meta.filename, { ...options, skipSelf: true });
        },
      },
    ],
  },
  markdown: {
    config: (markdown) => {
      markdown.core.ruler.push("repository-links", ({ tokens, env }) => {
        const document = relative(root, env.realPath ?? env.path).replaceAll(sep, "/");
        for (const token of tokens.flatMap((one) => one.children ?? [])) {
          const href = token.type === "link_open" ? token.attrGet("href") : null;
          if (href !== null) token.attrSet("href", siteLink(href, document));
        }
      });
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: repository.url.replace(/^git\+|\.git$/gu, "") }],
    nav: [
      to("Start", "docs/getting-started/index.md"),
      to("Use", "docs/reviewing.md"),
      to("Extend", "packages/core/README.md"),
    ],
    sidebar: [
      {
        text: "Getting started",
        items: [
          to("The first five minutes", "docs/getting-started/index.md"),
          to("Gemini CLI", "docs/getting-started/gemini.md"),
          to("Qwen Code", "docs/getting-started/qwen.md"),
          to("Claude Code", "docs/getting-started/claude.md"),
          to("Codex CLI", "docs/getting-started/codex.md"),
          to("Pi", "docs/getting-started/pi.md"),
          to("opencode and Kilo", "docs/getting-started/opencode.md"),
        ],
      },
      {
        text: "Editors",
        items: [
          to("VS Code and its forks", "apps/vscode/README.md"),
          to("Theia", "apps/theia/README.md"),
          to("Vim and Neovim", "apps/coc-nvim/README.md"),
          to("Any other: the terminal", "packages/cli/README.md"),
        ],
      },
      {
        text: "Using it",
        items: [
          to("Reviewing", "docs/reviewing.md"),
          to("The panel", "docs/panel.md"),
          to("Another editor: serve --json", "docs/serve-json.md"),
          to("What the doctor reports", "docs/diagnosis.md"),
          to("Questions", "docs/faq.md"),
          to("Privacy", "docs/privacy.md"),
          to("Containers, SSH and WSL", "docs/containers.md"),
          to("Cloud workspaces", "docs/cloud-workspaces.md"),
          to("Accessibility", "docs/accessibility.md"),
          to("Beside the agents' own extensions", "docs/comparison.md"),
          to("Supported versions", "docs/versions.md"),
          to("Uninstalling", "docs/uninstall.md"),
        ],
      },
      {
        text: "How it works",
        collapsed: true,
        items: [
          to("Architecture", "docs/architecture.md"),
          to("Security", "docs/security.md"),
          to("Reliability", "docs/reliability.md"),
          to("Performance", "docs/performance.md"),
          to("Requirements", "docs/requirements.md"),
          to("Protocol: Gemini CLI", "docs/protocols/gemini.md"),
          to("Protocol: Qwen Code", "docs/protocols/qwen.md"),
          to("Protocol: Codex CLI", "docs/protocols/codex.md"),
          to("Protocol: Pi", "docs/protocols/pi.md"),
          to("Protocol: Claude Code", "docs/protocols/claude.md"),
          to("Protocol: opencode and Kilo", "docs/protocols/opencode.md"),
          to("Protocol: the Agent Client Protocol", "docs/protocols/acp.md"),
          to("Protocol: Claude's stream", "docs/protocols/claude-stream.md"),
          to("Protocol: Pi's rpc mode", "docs/protocols/pi-rpc.md"),
        ],
      },
      {
        text: "Extending it",
        collapsed: true,
        items: [
          to("Another editor", "packages/core/README.md"),
          to("Tests for it", "packages/testkit/README.md"),
          to("Conversations", "packages/conversations/README.md"),
          to("Contributing", "CONTRIBUTING.md"),
          to("Releasing", "docs/releasing.md"),
        ],
      },
    ],
  },
});
