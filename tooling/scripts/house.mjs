/**
 * The picture of the house: which room of the sources may import what. The linter holds it (`patchbay/arrows` in
 * lint-rules.mjs), docs/architecture.md draws it. A room is a folder, a file by its name without the ending, or with a
 * `*` all whose names begin so; `agents/*` with a slash at its end is each folder in `agents`, a room of its own. A file
 * belongs to the longest name that fits. What is not listed is forbidden.
 *
 * `rooms`: other rooms, or single files of them. `types`: the same, but only their types. `packages`: what comes from
 * elsewhere, with its subpaths; `node:*` stands for all of Node's own modules. `packageTypes`: packages of which only types
 * are taken. Imports that name another package of the repository are packages, too. A package's own package.json may be
 * imported everywhere.
 */

const ground = ["support", "platform"];
const agentSide = ["context/model", "diff/model", "editor-host"];
const protocol = ["zod", "@modelcontextprotocol/sdk"];

const core = {
  support: {},
  platform: { rooms: ["support"] },
  "platform/node*": { rooms: ["platform", "support"], packages: ["node:*"] },
  "editor-host": { types: ["context/model", "support"] },
  storage: { rooms: ground },
  context: { rooms: ground, types: ["editor-host"], packages: ["minimatch"] },
  diff: { rooms: ground, types: ["context/model", "editor-host"], packages: ["zod", "node-diff3"] },
  agents: { rooms: [...ground, "storage"], types: agentSide, packages: protocol },
  "agents/catalogue": { rooms: ["agents", "agents/*/", "agents/claude", "agents/copilot"] },
  "agents/gemini-family": { rooms: [...ground, "agents", "storage"], types: agentSide, packages: protocol },
  "agents/opencode-family": { rooms: [...ground, "agents", "storage"], types: agentSide, packages: protocol },
  "agents/*/": {
    rooms: [...ground, "agents", "agents/gemini-family", "agents/opencode-family", "storage"],
    types: agentSide,
  },
  "agents/claude": {
    rooms: [...ground, "agents", "context/sharing-policy", "storage"],
    types: agentSide,
    packages: protocol,
  },
  "agents/copilot": {
    rooms: [...ground, "agents", "context/sharing-policy", "storage"],
    types: agentSide,
    packages: protocol,
  },
  endpoint: { rooms: ground, packages: ["node:*", "ws", "@modelcontextprotocol/sdk"] },
  discovery: { rooms: [...ground, "storage"], types: ["agents"] },
  session: { rooms: ground, types: ["agents", "context", "diff", "editor-host", "endpoint"] },
  // Agents read paths by the words of Node's; no file is looked at by them.
  "session/write-target": { rooms: [...ground, "session"], types: ["agents"], packages: ["node:path"] },
  hooks: {
    rooms: [
      ...ground,
      "agents/hook",
      "context/exclusions",
      "diff/text-fidelity",
      "hooks/presences",
      "session/path-check",
      "session/session-services",
      "session/write-target",
      "storage",
    ],
    types: ["agents", "companion", "context", "diff", "editor-host", "endpoint", "session"],
    packages: ["zod"],
  },
  // Editors pass it on before the ledger itself is loaded.
  "hooks/turn-ledger": { types: ["support"] },
  "hooks/presences": { rooms: ["agents/catalogue"], types: ["companion", "diff", "editor-host", "hooks"] },
  // What waits for the user, as a list: windows in a browser read it, too.
  inbox: { types: ["companion", "diff", "hooks"] },
  "hook-settings": {
    rooms: [...ground, "agents/catalogue", "agents/choice", "storage"],
    types: ["agents"],
    packages: ["jsonc-parser"],
  },
  "hook-client": {
    rooms: [
      ...ground,
      "agents/catalogue",
      "agents/choice",
      "agents/surroundings",
      "discovery",
      "endpoint/ask-hook",
      "platform/node*",
      "storage",
    ],
    types: ["agents"],
  },
  // What runs in an agent's own process.
  "hook-client/plugins": {
    rooms: ["agents/catalogue", "agents/*/", "agents/opencode-family", "hook-client"],
    types: ["agents"],
  },
  "hook-client/index": { rooms: ["agents/catalogue", "hook-client", "hook-client/plugins"] },
  "port-holder": {
    rooms: [...ground, "endpoint/give-back"],
    types: ["diff", "endpoint", "session", "storage"],
    packages: ["zod", "node:http", "node:stream"],
  },
  diagnosis: {
    rooms: [
      ...ground,
      "agents",
      "agents/catalogue",
      "diagnosis/finding-pages",
      "discovery",
      "endpoint/ask-hook",
      "endpoint/try-session",
      "hook-settings",
      "hooks/policy",
      "hooks/questions",
      "storage",
    ],
    types: ["companion", "context", "editor-host", "hooks/presences"],
    packages: ["zod"],
  },
  // Where nothing was built it reads the pages of docs/findings; a build puts their texts there.
  "diagnosis/finding-pages": { packages: ["node:fs"] },
  companion: {
    rooms: [
      ...ground,
      "context",
      "diagnosis/settings-warnings",
      "diff",
      "discovery",
      "endpoint",
      "hook-client/run-hook",
      "hooks",
      "inbox",
      "port-holder",
      "session",
      "storage",
    ],
    types: ["agents", "editor-host"],
  },
  trial: { rooms: [...ground, "storage"], types: ["companion"] },
  "create-companion": { rooms: [...ground, "agents/catalogue", "companion", "platform/node*"] },
  index: {
    rooms: [...ground, "agents/catalogue", "context", "create-companion", "diff", "platform/node*", "storage"],
    types: ["agents", "companion", "diagnosis", "editor-host", "hooks", "hooks/turn-ledger", "inbox"],
  },
};

const tools = ["@patchbay/core", "zod"];

const testkit = {
  platform: { packages: ["@patchbay/core", "node:*"] },
  editor: { packages: ["@patchbay/core"] },
  contract: {
    rooms: ["conversations/puppet-agent", "editor", "platform/mac-files"],
    packages: ["@patchbay/conversations", "@patchbay/core", "node:*"],
  },
  agents: { packages: [...tools, "node:*"] },
  "agents/gemini-family": { rooms: ["agents"], packages: [...tools, "@modelcontextprotocol/sdk", "node:*"] },
  "agents/*/": { rooms: ["agents", "agents/gemini-family"], packages: [...tools, "node:*", "ws"] },
  "agents/opencode-family": { rooms: ["agents"], packages: [...tools, "node:*", "ws", "zod"] },
  "agents/drivers": {
    rooms: ["agents", "agents/*/", "agents/gemini-family", "agents/opencode-family"],
    packages: ["@patchbay/core"],
  },
  conversations: { packages: [...tools, "@patchbay/conversations", "node:*"] },
  index: {
    rooms: [
      "agents",
      "agents/*/",
      "agents/drivers",
      "agents/gemini-family",
      "agents/opencode-family",
      "contract",
      "conversations",
      "editor",
      "platform",
    ],
  },
};

const cliGround = ["own-command", "terminal"];

const cli = {
  terminal: { packages: ["@patchbay/core", "node:readline"] },
  "own-command": { rooms: ["terminal"], packages: ["node:path"] },
  help: { packages: ["@patchbay/core"] },
  "command-line": { rooms: cliGround, packages: ["@patchbay/core", "node:util"] },
  doctor: { rooms: cliGround, packages: ["@patchbay/core", "node:path"] },
  env: { rooms: cliGround, packages: ["@patchbay/core", "node:path"] },
  status: { rooms: cliGround, packages: ["@patchbay/core"] },
  host: { rooms: cliGround, packages: ["@patchbay/core", "node:*"] },
  review: { rooms: [...cliGround, "host"], packages: ["@patchbay/core", "diff", "node:*"] },
  run: { rooms: [...cliGround, "doctor", "env"], types: ["command-line"], packages: ["@patchbay/core", "node:*"] },
  demo: { rooms: [...cliGround, "host"], packages: ["@patchbay/core", "@patchbay/testkit", "node:*"] },
  serve: {
    rooms: [...cliGround, "demo", "doctor", "host", "review", "turns"],
    types: ["command-line"],
    packages: [...tools, "node:*"],
  },
  panel: {
    rooms: [...cliGround, "host", "turns"],
    types: ["command-line"],
    packages: [...tools, "@patchbay/panel", "node:*"],
  },
  turns: {
    rooms: [...cliGround, "review/unified-diff"],
    types: ["command-line"],
    packages: ["@patchbay/core", "@patchbay/turns", "node:path"],
  },
  "run-command": {
    rooms: [...cliGround, "doctor", "env", "help", "hook", "panel", "run", "serve", "status", "turns"],
    types: ["command-line"],
    packages: ["@patchbay/core", "node:fs/promises", "node:readline/promises", "node:url"],
  },
  main: { rooms: [...cliGround, "command-line", "run-command"], packages: ["@patchbay/core"] },
  hook: {
    rooms: [...cliGround, "review/unified-diff"],
    types: ["command-line"],
    packages: ["@patchbay/core"],
  },
  "hook/main": { packages: ["@patchbay/core", "node:fs"] },
  start: { rooms: ["main"] },
};

/** The model needs nothing of Node: the panel's page reads it, too. */
const conversations = {
  model: { packages: ["zod"] },
  driver: { rooms: ["model"], packages: ["@patchbay/core"] },
  process: { packages: ["@patchbay/core", "node:*"] },
  "claude-stream": { rooms: ["driver", "model", "process", "transcript"], packages: [...tools, "node:*"] },
  acp: { rooms: ["driver", "model", "process"], packages: [...tools, "node:*"] },
  // Loaded with Pi's first conversation.
  "pi-rpc": { rooms: ["driver", "model", "process"], packages: [...tools, "node:*"] },
  transcript: { rooms: ["model"], packages: [...tools, "node:*"] },
  conversation: { rooms: ["driver", "model", "transcript"], packages: [...tools, "node:*"] },
  library: { rooms: ["conversation", "driver", "model", "transcript"], packages: [...tools, "node:*"] },
  pi: { rooms: ["pi-rpc"] },
  index: { rooms: ["acp", "claude-stream", "conversation", "driver", "library", "model", "process", "transcript"] },
};

/** Windows in a browser have languages, too. */
const languages = {
  index: {},
  node: { rooms: ["index"], packages: ["node:*"] },
  spoken: { rooms: ["index"] },
};

/** Who reads git's files, the disk or the private store needs Node; what is decided of them does not. */
const turns = {
  model: { packages: ["@patchbay/core"] },
  undo: { rooms: ["model", "undo/restore-whole"], packages: ["@patchbay/core"] },
  /** Links, bytes and modes: the port has none of them. */
  "undo/restore-whole": { types: ["model"], packages: ["@patchbay/core", "node:*"] },
  "ledger/folders": { packages: ["node:fs", "node:path"] },
  git: { packages: ["@patchbay/core", "node:*"] },
  "ledger/records": { types: ["model"], packages: ["zod"] },
  store: { rooms: ["ledger/records"], packages: ["@patchbay/core", "node:*"] },
  look: { rooms: ["git", "ledger/records"], types: ["ledger/contents"], packages: ["@patchbay/core", "node:*"] },
  ledger: {
    rooms: ["ledger/folders", "ledger/records", "store"],
    types: ["git", "look", "model"],
    packages: ["@patchbay/core"],
  },
  // Loaded with a panel.
  conversations: {
    types: ["ledger", "ledger/records", "look", "model", "undo"],
    packages: ["@patchbay/core", "node:crypto"],
  },
  "folder-ledgers": {
    rooms: ["conversations", "git", "ledger", "look", "store", "undo"],
    types: ["model"],
    packages: ["@patchbay/core"],
  },
  index: { rooms: ["folder-ledgers", "ledger/undo-room", "undo"], types: ["model"] },
};

const preact = ["preact"];
const pageMessages = ["messages/from-host", "messages/from-page", "strings"];

/** The page: no editor, no Node. Hosts import `messages`, which needs no page. */
const panel = {
  strings: {},
  // In zod's place in the page's bundle (tsup.config.ts): nothing imports it.
  "page-schemas": {},
  languages: { rooms: ["strings"], packageTypes: ["@patchbay/languages"] },
  messages: { rooms: ["languages", "strings"], packages: ["@patchbay/conversations/model", "zod"] },
  host: { rooms: ["messages"], packages: ["@patchbay/core", "@patchbay/conversations"] },
  agents: { rooms: ["messages"], packages: ["@patchbay/core", "@patchbay/conversations", "node:*"] },
  workspace: { rooms: ["messages"], packages: ["@patchbay/core", "@patchbay/conversations", "node:*"] },
  server: {
    rooms: ["agents", "host", "messages", "workspace"],
    packages: ["@patchbay/core", "@patchbay/conversations", "@patchbay/languages", "diff", "node:*", "ws"],
  },
  bridge: { rooms: pageMessages },
  "browser-tab": { rooms: ["views/widgets/paths", "views/widgets/visible-text"], types: ["messages/from-host"] },
  connect: { rooms: ["browser-tab"], types: ["messages/from-host", "messages/from-page", "messages/shell"] },
  "frame-bridge": { types: ["bridge", "messages/from-page"] },
  store: {
    rooms: [...pageMessages, "bridge", "messages/for-page"],
    packages: [...preact, "@patchbay/conversations/model", "zod"],
  },
  code: { rooms: ["store", "views/widgets"], packages: [...preact, "highlight.js"] },
  markdown: { rooms: ["code", "store", "views/widgets"], packages: [...preact, "marked"] },
  "views/widgets": { rooms: ["store"], packages: [...preact, "@patchbay/conversations/model", "diff"] },
  "views/entries": {
    rooms: ["markdown", "store", "views/widgets"],
    packages: [...preact, "@patchbay/conversations/model"],
  },
  "views/questions": {
    rooms: ["markdown", "store", "views/widgets"],
    packages: [...preact, "@patchbay/conversations/model"],
  },
  "views/log": {
    rooms: ["messages/for-page", "store", "views/entries", "views/widgets"],
    packages: [...preact, "@patchbay/conversations/model"],
  },
  "views/turns": {
    rooms: ["messages/changes", "store", "views/widgets"],
    packages: [...preact, "@patchbay/conversations/model"],
  },
  "views/composer": {
    rooms: ["store", "views/widgets"],
    types: ["messages/from-host"],
    packages: [...preact, "@patchbay/conversations/model"],
  },
  // A chunk of its own, for pages that show reviews themselves.
  "views/review": {
    rooms: ["messages/reviews", "store", "views/rest", "views/widgets"],
    types: ["messages/from-page", "strings"],
    packages: [...preact, "@patchbay/core/texts"],
  },
  "views/frame": {
    rooms: ["messages/agent-facts", "store", "views/composer", "views/log", "views/widgets"],
    types: ["messages/from-host"],
    packages: [...preact, "@patchbay/conversations/model"],
  },
  "views/rest": {
    rooms: ["views/composer", "views/entries", "views/frame", "views/log", "views/questions", "views/widgets"],
  },
  "views/rare": { rooms: ["views/entries", "views/frame", "views/log"] },
  "views/changes": { rooms: ["views/entries", "views/frame", "views/turns"] },
  page: {
    rooms: [
      "bridge",
      "frame-bridge",
      "store",
      "views/changes",
      "views/frame",
      "views/rare",
      "views/rest",
      "views/review",
      "views/widgets/boundary",
    ],
    packages: preact,
  },
};

const vscodeApi = ["vscode", "@patchbay/core", "@patchbay/languages/spoken"];

/** Loaded with the editor: what is needed later is reached through `lazy` only, and known here by its types. */
const vscodeStart = {
  contributions: { packages: ["@patchbay/core"] },
  "edition-context": { packages: ["vscode"] },
  timers: { packages: ["vscode"] },
  settings: { types: ["edition-context"], packages: vscodeApi },
  lazy: {
    rooms: ["commands/try-review", "contributions", "later", "panel/panel", "turns/agent-changes"],
    packages: vscodeApi,
  },
  "turns/lazy-turns": { rooms: ["lazy"], types: ["settings", "turns"], packages: vscodeApi },
  "host/log": { types: ["settings"], packages: vscodeApi },
  "host/open-documents": { packages: vscodeApi },
  "host/editors": { rooms: ["host/open-documents"], packages: vscodeApi },
  "host/host": {
    rooms: ["host/editors", "host/open-documents", "lazy"],
    types: ["edition-context"],
    packages: vscodeApi,
  },
  "diff/proposal-uri": { packages: ["vscode"] },
  "diff/lazy-reviews": { rooms: ["diff/proposal-uri", "lazy"], types: ["diff"], packages: vscodeApi },
  "terminals/terminal-environment": {
    types: ["edition-context", "settings"],
    packages: vscodeApi,
  },
  "views/problem-actions": { packages: vscodeApi },
  "views/register-views": {
    rooms: ["views/problem-actions", "lazy", "timers"],
    types: ["commands", "views/review-tree"],
    packages: vscodeApi,
  },
  "panel/register-panel": { rooms: ["lazy"], types: ["panel"], packages: vscodeApi },
  extension: {
    rooms: [
      "diff/lazy-reviews",
      "host/host",
      "host/log",
      "lazy",
      "panel/register-panel",
      "settings",
      "terminals/terminal-environment",
      "turns/lazy-turns",
      "views/register-views",
    ],
    types: ["edition-context"],
    packages: [...vscodeApi, "@patchbay/languages"],
  },
};

/** Loaded with the first proposal, command or look at a view. */
const vscodeLater = {
  surfaces: { packages: ["vscode", "node:path", "@patchbay/core/presences", "@patchbay/languages/spoken"] },
  host: {
    rooms: ["host/open-documents", "surfaces", "timers"],
    packages: [...vscodeApi, "@patchbay/languages", "node:path"],
  },
  diff: {
    rooms: ["diff/proposal-uri", "host/document-texts", "surfaces", "timers"],
    types: ["settings"],
    packages: vscodeApi,
  },
  terminals: {
    rooms: ["contributions", "surfaces"],
    packages: [...vscodeApi, "node:fs", "node:path"],
  },
  diagnosis: { rooms: ["surfaces"], types: ["settings"], packages: vscodeApi },
  commands: {
    rooms: ["contributions", "diagnosis", "diff", "diff/proposal-uri", "host/messages", "surfaces", "terminals"],
    types: ["settings"],
    packages: [...vscodeApi, "node:fs"],
  },
  views: {
    rooms: ["diff/proposal-tabs", "surfaces", "terminals/find-terminal"],
    types: ["commands"],
    packages: vscodeApi,
  },
  panel: {
    rooms: ["host/messages", "surfaces"],
    packages: [...vscodeApi, "@patchbay/conversations", "@patchbay/panel", "node:crypto", "node:path"],
  },
  turns: {
    rooms: ["surfaces", "timers"],
    types: ["settings"],
    packages: [...vscodeApi, "@patchbay/turns"],
  },
  later: { rooms: ["commands", "diff", "host", "surfaces", "views"] },
};

const vscode = { ...vscodeStart, ...vscodeLater };

/** What a window in a browser can use of core: the catalogue of agents. Of the rest it knows types only. */
const forWindows = {
  packages: [
    "@patchbay/core/agents",
    "@patchbay/core/inbox",
    "@patchbay/core/inbox-folders",
    "@patchbay/core/presences",
    "@patchbay/panel/document",
    "@theia/*",
  ],
  packageTypes: ["@patchbay/core", "@patchbay/turns"],
};

const theia = {
  common: forWindows,
  "browser/surfaces": { rooms: ["browser/documents", "common"], ...forWindows },
  "browser/documents": { rooms: ["common"], ...forWindows },
  "browser/context": { rooms: ["browser/documents"], types: ["common"], ...forWindows },
  "browser/review": { rooms: ["browser/documents", "browser/surfaces", "common"], ...forWindows },
  "browser/window": {
    rooms: ["browser/context", "browser/documents", "browser/review", "browser/surfaces", "common"],
    ...forWindows,
  },
  "browser/inbox": { rooms: ["browser/documents", "browser/surfaces", "common"], ...forWindows },
  "browser/panel": {
    rooms: ["browser/documents", "browser/surfaces", "browser/window", "common"],
    ...forWindows,
  },
  "browser/contributions": {
    rooms: [
      "browser/context",
      "browser/documents",
      "browser/inbox",
      "browser/panel",
      "browser/review",
      "browser/surfaces",
      "browser/window",
      "common",
    ],
    ...forWindows,
  },
  "browser/patchbay-frontend-module": {
    rooms: [
      "browser/context",
      "browser/contributions",
      "browser/documents",
      "browser/inbox",
      "browser/panel",
      "browser/review",
      "browser/surfaces",
      "browser/window",
      "common",
    ],
    ...forWindows,
  },
  // What a window says in its user's language; and what is said to it.
  "node/languages": { packages: ["@patchbay/core/agents", "@patchbay/languages"] },
  "node/languages/localizations": { rooms: ["node/languages"], packages: ["@patchbay/languages", "@theia/core"] },
  // Loaded when a window opens its panel.
  "node/panel": {
    rooms: ["node/languages"],
    types: ["common", "node"],
    packages: ["@patchbay/conversations", "@patchbay/core", "@patchbay/panel", "node:*"],
  },
  "node/turns": {
    types: ["common", "node"],
    packages: ["@patchbay/core", "@patchbay/turns"],
  },
  node: {
    rooms: ["common/visible-text", "node/languages", "node/panel"],
    types: ["common", "node/turns", "node/workspace-storage"],
    packages: ["@patchbay/core"],
    packageTypes: ["@patchbay/turns", "@theia/core"],
  },
  // The rest of the backend also runs where Theia's modules cannot be loaded.
  "node/theia-encodings": { types: ["node"], packages: ["@theia/core"] },
  "node/workspace-storage": { packages: ["@patchbay/core", "node:*", "zod"] },
  "node/patchbay-backend*": {
    rooms: [
      "common",
      "node",
      "node/languages/localizations",
      "node/panel",
      "node/theia-encodings",
      "node/turns",
      "node/workspace-storage",
    ],
    packages: ["@patchbay/core", "@theia/core"],
  },
};

const cocGround = ["vim"];
const said = ["@patchbay/core", "@patchbay/languages/spoken"];

const coc = {
  vim: { packages: ["@patchbay/core", "coc.nvim"] },
  context: { rooms: cocGround, packages: ["@patchbay/core"] },
  diff: { rooms: cocGround, packages: [...said, "node:fs", "node:path"] },
  settings: { rooms: ["diff/review-settings"], packages: ["@patchbay/core"] },
  "status-text": { rooms: cocGround, packages: said },
  "agent-notices": { rooms: [...cocGround, "commands/hooks"], packages: said },
  "status-line": {
    rooms: ["agent-notices", "status-text"],
    types: ["panel", "settings", "turns", "vim"],
    packages: ["@patchbay/core"],
  },
  turns: {
    rooms: [...cocGround, "diff/buffer-reader", "diff/review-names"],
    types: ["host"],
    packages: [...said, "@patchbay/turns", "node:path"],
  },
  // Loaded with its command.
  panel: {
    types: ["host"],
    packages: [...said, "@patchbay/conversations/model", "@patchbay/panel/server", "node:path"],
  },
  host: {
    rooms: [...cocGround, "context", "diff"],
    types: ["settings"],
    packages: ["@patchbay/core", "@patchbay/languages", "node:url"],
  },
  "host/storage-slot": { packages: ["node:*"] },
  health: { rooms: [...cocGround, "commands/command-words"], packages: [...said, "node:*"] },
  commands: {
    rooms: [...cocGround, "diff/review-names", "health", "panel", "settings", "turns"],
    types: ["host"],
    packages: [...said, "node:*"],
  },
  "user-language": { types: ["vim"], packages: ["@patchbay/languages", "node:path", "node:process"] },
  extension: {
    rooms: [
      ...cocGround,
      "commands",
      "diff/disk-follower",
      "host",
      "host/storage-slot",
      "settings",
      "status-line",
      "turns",
      "user-language",
    ],
    types: ["panel"],
    packages: [...said, "coc.nvim", "node:*"],
  },
  lifecycle: { rooms: ["extension"], types: ["vim"], packages: ["@patchbay/core", "coc.nvim", "node:process"] },
  index: { rooms: ["lifecycle"], packages: ["coc.nvim"] },
};

/** By the folder of their sources. */
export const houses = {
  "packages/core/src": core,
  "packages/testkit/src": testkit,
  "packages/cli/src": cli,
  "packages/conversations/src": conversations,
  "packages/languages/src": languages,
  "packages/panel/src": panel,
  "packages/turns/src": turns,
  "apps/vscode/src": vscode,
  "apps/theia/src": theia,
  "apps/coc-nvim/src": coc,
};
