/**
 * The picture of the house: which room of the sources may import what. The linter holds it (`patchbay/arrows` in
 * lint-rules.mjs), docs/architecture.md draws it. A room is a folder, a file by its name without the ending, or with a
 * `*` all whose names begin so; a file belongs to the longest name that fits. What is not listed is forbidden.
 *
 * `rooms`: other rooms, or single files of them. `types`: the same, but only their types. `packages`: what comes from
 * elsewhere; `node:*` stands for all of Node's own modules. Imports that name another package of the repository are
 * packages, too.
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
  "agents/catalogue": { rooms: ["agents", "agents/gemini", "agents/qwen", "agents/claude"] },
  "agents/gemini-family": { rooms: [...ground, "agents"], types: agentSide, packages: protocol },
  "agents/gemini": { rooms: [...ground, "agents", "agents/gemini-family", "storage"] },
  "agents/qwen": { rooms: [...ground, "agents", "agents/gemini-family", "storage"] },
  "agents/claude": {
    rooms: [...ground, "agents", "context/sharing-policy", "storage"],
    types: agentSide,
    packages: protocol,
  },
  endpoint: { rooms: ground, packages: ["node:*", "ws", "@modelcontextprotocol/sdk"] },
  discovery: { rooms: [...ground, "storage"], types: ["agents"] },
  session: { rooms: ground, types: ["agents", "context", "diff", "editor-host", "endpoint"] },
  "port-holder": {
    rooms: [...ground, "endpoint/give-back"],
    types: ["diff", "endpoint", "session", "storage"],
    packages: ["zod", "node:http", "node:stream"],
  },
  diagnosis: {
    rooms: [...ground, "agents", "agents/catalogue", "endpoint/try-session", "storage"],
    types: ["companion"],
    packages: ["zod"],
  },
  companion: {
    rooms: [...ground, "context", "diff", "discovery", "endpoint", "port-holder", "session", "storage"],
    types: ["agents", "editor-host"],
  },
  diagnose: { rooms: [...ground, "diagnosis"] },
  "create-companion": { rooms: [...ground, "agents/catalogue", "companion", "platform/node*"] },
  index: {
    rooms: [
      ...ground,
      "agents/catalogue",
      "context",
      "create-companion",
      "diagnose",
      "diagnosis",
      "diff",
      "platform/node*",
      "storage",
    ],
    types: ["agents", "companion", "editor-host"],
  },
};

/** By the folder of their sources. */
export const houses = { "packages/core/src": core };
