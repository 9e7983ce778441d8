import type { ConversationScenario, ModelTurn } from "./scenario-player.ts";

const text = (said: string): ModelTurn => ({ kind: "text", text: said });
const tool = (name: string, input: Readonly<Record<string, unknown>>): ModelTurn => ({ kind: "tool", name, input });
const allow = { type: "choice", choiceId: "allow" } as const;

const questions = [
  {
    question: "Which one?",
    header: "One",
    multiSelect: false,
    options: [
      { label: "A", description: "the first" },
      { label: "B", description: "the second" },
    ],
  },
  {
    question: "Which ones?",
    header: "Some",
    multiSelect: true,
    options: [
      { label: "C", description: "the third" },
      { label: "D", description: "the fourth" },
    ],
  },
];

/** Conversations with Claude Code of which there are recordings. */
export const claudeScenarios: readonly ConversationScenario[] = [
  {
    name: "edits",
    files: { "b.txt": "one\ntwo\nthree\n" },
    turns: (folder) => [
      text("Hello **there**."),
      tool("Write", { file_path: `${folder}/a.txt`, content: "one\ntwo\n" }),
      text("Written."),
      tool("Write", { file_path: `${folder}/c.txt`, content: "one\ntwo\n" }),
      text("Written again."),
      tool("Read", { file_path: `${folder}/b.txt` }),
      tool("Edit", { file_path: `${folder}/b.txt`, old_string: "two", new_string: "2" }),
      text("Edited."),
      tool("Edit", { file_path: `${folder}/b.txt`, old_string: "one", new_string: "1" }),
      text("Then not."),
    ],
    play: async (player) => {
      await player.say("Say hello");
      await player.sayAndAnswer("Write a", allow);
      await player.sayAndAnswer("Write c", { ...allow, text: "one\nTWO by me\n" });
      await player.sayAndAnswer("Edit b", { ...allow, text: "one\n2 and more\nthree\n" });
      await player.sayAndAnswer("Edit b again", { type: "reject", message: "leave it" });
    },
    results: { "a.txt": "one\ntwo\n", "c.txt": "one\nTWO by me\n", "b.txt": "one\n2 and more\nthree\n" },
    told: ["The file now reads:\\none\\nTWO by me\\n", "The file now reads:\\none\\n2 and more\\n", "leave it"],
  },
  {
    name: "commands",
    turns: () => [
      tool("Bash", { command: "echo hello > hello.txt", description: "Says hello" }),
      text("Said."),
      tool("Bash", { command: "touch never.txt" }),
      text("Then not."),
      tool("Bash", { command: "printf missing > /workspace-is-not-here/x" }),
      text("It failed."),
    ],
    play: async (player) => {
      await player.sayAndAnswer("Say hello in a file", allow);
      await player.sayAndAnswer("Touch a file", { type: "reject" });
      await player.sayAndAnswer("Fail", allow);
    },
    results: { "hello.txt": "hello\n", "never.txt": undefined },
    told: ["The user does not want this."],
  },
  {
    name: "stops",
    turns: () => [
      tool("Bash", { command: "touch asked.txt" }),
      tool("Bash", { command: "touch running.txt; tail -f /dev/null" }),
      text("Going on."),
    ],
    play: async (player) => {
      const asked = player.say("Touch a file");
      await player.question();
      await player.session.interrupt();
      await asked;
      const running = player.say("Run for ever");
      const { id } = await player.question();
      player.session.answer(id, allow);
      await player.session.interrupt();
      await running;
      await player.say("Go on");
    },
    results: { "asked.txt": undefined },
  },
  {
    name: "options",
    turns: (folder) => [
      tool("Write", { file_path: `${folder}/a.txt`, content: "one\n" }),
      text("Written."),
      tool("Write", { file_path: `${folder}/d.txt`, content: "one\n" }),
      text("Written without a question."),
      text("As another model."),
    ],
    play: async (player) => {
      await player.sayAndAnswer("Write a", { type: "choice", choiceId: "always-0" });
      await player.say("Write d");
      await player.session.setOption("mode", "plan");
      await player.session.setOption("model", "sonnet");
      await player.session.setOption("effort", "low");
      await player.session.rename?.("A name");
      await player.say("Say who you are");
    },
    results: { "a.txt": "one\n", "d.txt": "one\n" },
  },
  {
    name: "questions",
    turns: () => [
      tool("AskUserQuestion", { questions }),
      text("Thanks."),
      tool("ExitPlanMode", { plan: "# The plan\n1. Do it" }),
      text("Shorter, then."),
      tool("ExitPlanMode", {}),
      text("I begin."),
    ],
    play: async (player) => {
      const values = { "question-0": "neither", "question-1": ["C", "D"] };
      await player.sayAndAnswer("Ask me", { type: "form", values });
      await player.session.setOption("mode", "plan");
      await player.sayAndAnswer("Plan it", { type: "reject", message: "shorter" });
      await player.sayAndAnswer("Plan it again", allow);
    },
    told: ['=\\"neither\\"', '=\\"C, D\\"', "The user rejected this, and says: shorter"],
  },
  {
    name: "subagents",
    turns: () => [
      tool("Task", { description: "look", prompt: "look", subagent_type: "general-purpose", run_in_background: false }),
      tool("Bash", { command: "touch sub.txt" }),
      text("The subagent has looked."),
      text("It has looked."),
      tool("mcp__companion__getDiagnostics", { path: "/nowhere/a.txt" }),
      text("No problems."),
    ],
    play: async (player) => {
      await player.sayAndAnswer("Have somebody look", allow);
      await player.say("Are there problems?");
    },
    results: { "sub.txt": "" },
  },
  {
    name: "rewinds",
    turns: (folder) => [
      tool("Write", { file_path: `${folder}/a.txt`, content: "one\n" }),
      text("Written."),
      text("Fresh."),
    ],
    play: async (player) => {
      await player.sayAndAnswer("Write a", allow);
      await player.session.rewind?.(player.promptId, true);
      await player.session.rewind?.(player.promptId, false);
      await player.say("/clear");
      await player.say("Who am I?");
    },
    results: { "a.txt": undefined },
  },
  {
    name: "signed-out",
    isSignedIn: false,
    turns: () => [],
    play: async (player) => void (await player.say("Hello")),
  },
];
