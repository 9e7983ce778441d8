import type { ConversationScenario, ModelTurn } from "./claude-scenarios.ts";

const text = (said: string): ModelTurn => ({ kind: "text", text: said });
const tool = (name: string, input: Readonly<Record<string, unknown>>): ModelTurn => ({ kind: "tool", name, input });
const allow = { type: "choice", choiceId: "allow" } as const;
const edit = (from: string, to: string) => ({
  name: "edit",
  input: { path: "b.txt", edits: [{ oldText: from, newText: to }] },
});

/** An extension of the user's that asks, and has a command. */
const asker = `export default function (pi) {
  pi.registerCommand("ask", {
    description: "Asks three things",
    handler: async (_typed, { ui }) => {
      const which = await ui.select("Which one?", ["A", "B"]);
      const sure = await ui.confirm("Sure?", "It cannot be undone.");
      const name = await ui.input("Its name?", "a name");
      ui.notify([which, sure, name].join(", "), "info");
    },
  });
}
`;

/** Conversations with Pi of which there are recordings. */
export const piScenarios: readonly ConversationScenario[] = [
  {
    name: "edits",
    files: { "b.txt": "one\ntwo\nthree\n" },
    turns: () => [
      text("Hello **there**."),
      tool("write", { path: "a.txt", content: "one\ntwo\n" }),
      text("Written."),
      tool("write", { path: "c.txt", content: "one\ntwo\n" }),
      text("Written again."),
      tool("read", { path: "b.txt" }),
      { kind: "tool", ...edit("two", "2") },
      text("Edited."),
      { kind: "tool", ...edit("one", "1") },
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
    name: "at-once",
    files: { "b.txt": "one\ntwo\nthree\n" },
    turns: () => [
      { kind: "tools", calls: [edit("one", "1"), edit("two", "2"), edit("three", "3")] },
      text("All three."),
    ],
    play: async (player) => {
      const prompted = player.say("Change all lines at once");
      player.session.answer((await player.question()).id, { ...allow, text: "1 by me\ntwo\nthree\n" });
      player.session.answer((await player.question()).id, { type: "reject" });
      player.session.answer((await player.question()).id, allow);
      await prompted;
    },
    results: { "b.txt": "1 by me\ntwo\n3\n" },
  },
  {
    name: "commands",
    turns: () => [
      tool("bash", { command: "echo hello; echo hello > hello.txt" }),
      text("Said."),
      tool("bash", { command: "touch never.txt" }),
      text("Then not."),
      tool("bash", { command: "printf missing > /workspace-is-not-here/x" }),
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
      {
        kind: "tools",
        calls: [
          { name: "bash", input: { command: "touch asked.txt" } },
          { name: "write", input: { path: "next.txt", content: "" } },
        ],
      },
      tool("bash", { command: "touch running.txt; tail -f /dev/null" }),
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
      await player.heard(
        (update) => update.type === "entry" && update.entry.kind === "tool" && update.entry.state === "running",
      );
      await player.session.interrupt();
      await running;
      await player.say("Go on");
    },
    results: { "asked.txt": undefined, "next.txt": undefined },
  },
  {
    name: "options",
    turns: () => [
      tool("bash", { command: "echo one > a.txt" }),
      tool("bash", { command: "echo two > b.txt" }),
      text("Both have run."),
      tool("write", { path: "c.txt", content: "three\n" }),
      text("Written without a question."),
    ],
    play: async (player) => {
      await player.sayAndAnswer("Run both", { type: "choice", choiceId: "always" });
      await player.session.setOption("model", "fake/thinker");
      await player.session.setOption("effort", "low");
      await player.session.setOption("mode", "free");
      await player.session.rename?.("A name");
      await player.say("Write c");
    },
    results: { "a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n" },
  },
  {
    name: "dialogs",
    files: { ".pi/extensions/asker.js": asker },
    turns: () => [text("Going on.")],
    play: async (player) => {
      const prompted = player.say("/ask");
      for (const value of ["B", "Yes", "Ada"]) {
        const { id } = await player.question();
        player.session.answer(id, { type: "form", values: { answer: value } });
      }
      await prompted;
      await player.say("Go on");
    },
  },
  {
    name: "signed-out",
    isSignedIn: false,
    turns: () => [],
    play: async () => {},
  },
];
