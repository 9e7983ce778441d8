import type { AgentFacts, ConversationSnapshot, Entry, PlacedEntry } from "@patchbay/conversations/model";

const capabilities = {
  images: true,
  excerpts: true,
  editableChanges: true,
  rejectionMessages: true,
  fork: true,
  forkBefore: true,
  rewind: true,
  resume: true,
  facts: true,
} as const;

/** What an agent tells of itself. */
export const sampleFacts: AgentFacts = {
  account: "you@example.com · Example Ltd",
  plan: "max",
  limits: [
    { window: "5-hours", used: 0.42, resetsAt: Date.UTC(2026, 10, 24, 15) },
    { window: "7-days", used: 0.91, resetsAt: Date.UTC(2026, 10, 28, 6) },
    { window: "7-days", model: "Opus", used: 0.2 },
  ],
  context: {
    used: 61_400,
    size: 200_000,
    parts: [
      { name: "System prompt", tokens: 2339 },
      { name: "System tools", tokens: 10_250 },
      { name: "Messages", tokens: 48_811 },
    ],
  },
  servers: [
    { name: "tracker", state: "connected", tools: 12, canChange: true },
    { name: "database", state: "failed", error: "ECONNREFUSED: Unable to connect.", canChange: true },
    { name: "calendar", state: "needs-auth", canChange: true },
    { name: "browser", state: "disabled", canChange: true },
    { name: "companion", state: "connected", tools: 4, canChange: false },
  ],
};

/** A conversation with these entries. */
export function sampleConversation(entries: readonly Entry[], at: number): ConversationSnapshot {
  return {
    id: "c1",
    agent: "claude",
    folder: "/home/me/shop",
    at,
    title: "Stack discount codes",
    state: { kind: "idle" },
    options: [
      {
        id: "mode",
        category: "mode",
        name: "Mode",
        value: "default",
        values: [
          { id: "default", name: "Ask first", description: "Asks before it changes files.", asks: "always" },
          { id: "acceptEdits", name: "Edit files", description: "Asks before it runs commands.", asks: "sometimes" },
          { id: "plan", name: "Plan", description: "Only reads, and proposes a plan.", asks: "always" },
          { id: "auto", name: "Auto", asks: "never" },
        ],
      },
      {
        id: "model",
        category: "model",
        name: "Model",
        value: "sonnet",
        values: [
          { id: "opus", name: "Opus", description: "Most capable" },
          { id: "sonnet", name: "Sonnet", description: "Everyday work" },
        ],
      },
    ],
    commands: [
      { name: "compact", description: "Summarise the conversation to free up context", argumentHint: "[focus]" },
      { name: "cost", description: "Show what this session has cost" },
      { name: "review", description: "Review a pull request" },
    ],
    queue: [],
    waiting: 0,
    access: { kind: "own" },
    isKept: true,
    turns: [],
    usage: {
      contextTokens: 61_400,
      contextSize: 200_000,
      inputTokens: 84_200,
      outputTokens: 5900,
      cost: 0.42,
      currency: "USD",
    },
    capabilities,
    sequence: 0,
    entries: entries.map((entry, place): PlacedEntry => ({ place, entry })),
    start: 0,
    draft: { blocks: [], caret: 0 },
  };
}

const answer = `The discount is applied **twice**: once in \`applyCodes\`, and again when the total is rounded.

1. \`applyCodes\` subtracts each code from the running total.
2. \`total\` then subtracts the sum of all codes from what is left.

| Codes | Expected | Now |
| --- | ---: | ---: |
| none | 40.00 | 40.00 |
| SAVE10 | 36.00 | 32.40 |

I would keep the subtraction in one place:

\`\`\`ts
export function total(items: readonly Item[], codes: readonly Code[]): number {
  const sum = items.reduce((all, { price, count }) => all + price * count, 0);
  // Each code takes its share of what the codes before it have left.
  return round(codes.reduce((left, { rate }) => left * (1 - rate), sum));
}
\`\`\`

See [discounts.ts](src/cart/discounts.ts#L12) and the [rounding rules](https://example.com/rounding).
`;

const before = `export function total(items, codes) {
  const sum = subtotal(items);
  const left = applyCodes(sum, codes);
  return round(left - sum * rateOf(codes));
}
`;

const after = `export function total(items, codes) {
  return round(applyCodes(subtotal(items), codes));
}
`;

/** A working session as people have it. \`until\`: how much of it has happened. */
export function sampleEntries(at: number): readonly Entry[] {
  const path = "/home/me/shop/src/cart/discounts.ts";
  return [
    {
      kind: "prompt",
      id: "p1",
      at,
      blocks: [
        { type: "mention", path, lines: { start: 12, end: 31 } },
        { type: "text", text: "With two discount codes the total is too low. Find out why and fix it." },
      ],
    },
    { kind: "thought", id: "t1", at, text: "The total is lower than it should be…", isComplete: true },
    {
      kind: "tool",
      id: "r1",
      at,
      tool: "read",
      name: "Read",
      title: "Read src/cart/discounts.ts",
      state: "done",
      output: before,
      locations: [{ path, line: 12 }],
    },
    {
      kind: "tool",
      id: "s1",
      at,
      tool: "search",
      name: "Grep",
      title: "Search for “rateOf”",
      state: "done",
      output: "src/cart/discounts.ts:31",
    },
    { kind: "message", id: "m1", at, text: answer, isComplete: true },
    {
      kind: "plan",
      id: "pl1",
      at,
      steps: [
        { text: "Find where the discount is applied twice", state: "done" },
        { text: "Keep the subtraction in one place", state: "running" },
        { text: "Run the tests of the cart", state: "pending" },
      ],
    },
    {
      kind: "tool",
      id: "e1",
      at,
      tool: "edit",
      name: "Edit",
      title: "Edit src/cart/discounts.ts",
      state: "done",
      changes: [{ path, before, after }],
    },
    {
      kind: "question",
      id: "q0",
      at,
      question: { type: "permission", toolId: "e1", title: "Edit src/cart/discounts.ts", choices: [] },
      outcome: { type: "answered", summary: "Accepted", isAllowed: true, isEdited: true },
    },
    {
      kind: "tool",
      id: "g1",
      at,
      tool: "subagent",
      name: "Task",
      title: "Look for other callers of total()",
      state: "done",
    },
    {
      kind: "tool",
      id: "g2",
      at,
      parent: "g1",
      tool: "search",
      name: "Grep",
      title: "Search for “total(”",
      state: "done",
      output: "2 files",
    },
    { kind: "message", id: "g3", at, parent: "g1", text: "Two callers, both pass codes.", isComplete: true },
    {
      kind: "tool",
      id: "x1",
      at,
      tool: "execute",
      name: "Bash",
      title: "Run the tests of the cart",
      command: "npm test -- --run test/cart",
      state: "failed",
      output: "FAIL test/cart/discounts.test.ts\n  expected 36 to be 32.4",
    },
    {
      kind: "turn-end",
      id: "te1",
      at,
      reason: "done",
      durationMs: 48_000,
      usage: { inputTokens: 18_200, outputTokens: 2100, cost: 0.42, currency: "USD" },
      cost: 0.11,
    },
    {
      kind: "prompt",
      id: "p2",
      at,
      blocks: [{ type: "text", text: "The test expects the old behaviour. Update it and run it again." }],
    },
    { kind: "message", id: "m2", at, text: "I’ll update the expectation, then run only that file.", isComplete: true },
    {
      kind: "tool",
      id: "x2",
      at,
      tool: "execute",
      name: "Bash",
      title: "Run one test file",
      command: "npx vitest run test/cart/discounts.test.ts --reporter=verbose",
      state: "waiting",
    },
    {
      kind: "question",
      id: "q1",
      at,
      question: {
        type: "permission",
        toolId: "x2",
        title: "Run one test file",
        reason: "The command is not on your list of allowed commands.",
        command: "npx vitest run test/cart/discounts.test.ts --reporter=verbose",
        choices: [
          { id: "yes", name: "Allow", kind: "allow-once" },
          { id: "always", name: "Always Allow", kind: "allow-always", rule: "Bash(npx vitest run:*)" },
          { id: "no", name: "Reject", kind: "reject-once" },
        ],
      },
    },
  ];
}

/** A history of so many entries, of all sizes. */
export function longHistory(count: number, at: number): readonly Entry[] {
  return Array.from({ length: count }, (_unused, index): Entry => {
    const id = `h${index}`;
    if (index % 10 === 0) {
      return {
        kind: "prompt",
        id,
        at,
        blocks: [{ type: "text", text: `Question ${index}: how does the cart total work?` }],
      };
    }
    if (index % 3 === 1) {
      return {
        kind: "tool",
        id,
        at,
        tool: "read",
        name: "Read",
        title: `Read src/file-${index}.ts`,
        state: "done",
        output: `line ${index}`,
      };
    }
    return {
      kind: "message",
      id,
      at,
      isComplete: true,
      text: `Answer ${index}. It adds the **prices** and takes off the codes:\n\n- first \`sum\`\n- then \`round\`\n\n\`\`\`ts\nconst total = round(sum(${index}));\n\`\`\`\n`,
    };
  });
}
