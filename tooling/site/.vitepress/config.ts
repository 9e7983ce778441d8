import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { originOf } from "../../scripts/origin.ts";
import { elsewhere, root, siteLink } from "./pages.ts";

const { repository } = originOf("");

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
    resolve: {
      // Documents are above this folder, and become modules that ask for these from where they are.
      alias: ["vue/server-renderer", "vue"].map((name) => ({
        find: new RegExp(`^${name}$`, "u"),
        replacement: fileURLToPath(import.meta.resolve(name)),
      })),
    },
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
      { text: "Start", link: "/getting-started/" },
      { text: "Use", link: "/reviewing" },
      { text: "Extend", link: "/extend/core" },
    ],
    sidebar: [
      {
        text: "Getting started",
        items: [
          { text: "The first five minutes", link: "/getting-started/" },
          { text: "Gemini CLI", link: "/getting-started/gemini" },
          { text: "Qwen Code", link: "/getting-started/qwen" },
          { text: "Claude Code", link: "/getting-started/claude" },
        ],
      },
      {
        text: "Editors",
        items: [
          { text: "VS Code and its forks", link: "/editors/vscode" },
          { text: "Theia", link: "/editors/theia" },
          { text: "Vim and Neovim", link: "/editors/vim" },
          { text: "Any other: the terminal", link: "/editors/terminal" },
        ],
      },
      {
        text: "Using it",
        items: [
          { text: "Reviewing", link: "/reviewing" },
          { text: "The panel", link: "/panel" },
          { text: "What the doctor reports", link: "/diagnosis" },
          { text: "Questions", link: "/faq" },
          { text: "Privacy", link: "/privacy" },
          { text: "Supported versions", link: "/versions" },
          { text: "Uninstalling", link: "/uninstall" },
        ],
      },
      {
        text: "How it works",
        collapsed: true,
        items: [
          { text: "Architecture", link: "/architecture" },
          { text: "Security", link: "/security" },
          { text: "Reliability", link: "/reliability" },
          { text: "Performance", link: "/performance" },
          { text: "Requirements", link: "/requirements" },
          { text: "Protocol: Gemini CLI", link: "/protocols/gemini" },
          { text: "Protocol: Qwen Code", link: "/protocols/qwen" },
          { text: "Protocol: Claude Code", link: "/protocols/claude" },
          { text: "Protocol: the Agent Client Protocol", link: "/protocols/acp" },
          { text: "Protocol: Claude's stream", link: "/protocols/claude-stream" },
        ],
      },
      {
        text: "Extending it",
        collapsed: true,
        items: [
          { text: "Another editor", link: "/extend/core" },
          { text: "Tests for it", link: "/extend/testkit" },
          { text: "Conversations", link: "/extend/conversations" },
          { text: "Contributing", link: "/extend/contributing" },
          { text: "Releasing", link: "/releasing" },
        ],
      },
    ],
  },
});
