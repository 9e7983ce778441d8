import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import type { Turn } from "../models/model-server.ts";
import { pause } from "../support/poll.ts";
import type { AcpKindName, AcpStage } from "./acp-stage.ts";

/** What is done with a real agent over the Agent Client Protocol, and what has to come of it. */
export interface AcpScenario {
  readonly name: string;
  readonly only?: AcpKindName;
  /** It is kept as a transcript; others are only run. */
  readonly isRecorded: boolean;
  run(stage: AcpStage, agent: AcpKindName): Promise<void>;
}

const said = (text: string): Turn => ({ kind: "text", text });

function shell(command: string): Turn {
  return { kind: "tool", name: "run_shell_command", input: { command, description: "Runs it", is_background: false } };
}

function edits(stage: AcpStage, from: string, to: string): readonly Turn[] {
  return stage.kind.editTurns(stage.path("a.txt"), from, to);
}

/** The last request that the model got. */
function lastRequest(stage: AcpStage): string {
  return stage.model.conversation.at(-1) ?? "";
}

export const acpScenarios: readonly AcpScenario[] = [
  {
    // The file changes while the question waits: the agent makes its change anew, and nobody is asked a second time.
    name: "changed-meanwhile",
    // Qwen Code refuses by itself to write a file that was modified since it read it.
    only: "gemini",
    isRecorded: false,
    run: async (stage) => {
      await stage.start();
      for (const [text, held] of [
        [undefined, "one\nTWO\nthree\nFOUR\n"],
        ["one\nTWO\nthree\nFOUR\n", "one\nTWO\nthree\nFOUR\n"],
        ["one\nTWO, or so\nthree\nFOUR\n", "one\nTWO, or so\nthree\nFOUR\n"],
      ] as const) {
        await stage.file("a.txt", "one\ntwo\nthree\nfour\n");
        stage.model.play(...edits(stage, "two", "TWO"));
        stage.prompt("Edit");
        await stage.wait();
        await stage.file("a.txt", "one\ntwo\nthree\nFOUR\n");
        const { id } = await stage.answer("allow-once", text);
        const over = stage.end();
        const again = stage.question().then(({ id: other }) => `${other} after ${id}`);
        assert.equal(await Promise.race([over, again]), "done");
        assert.equal(await stage.text("a.txt"), held);
      }
    },
  },
  {
    // What the panel says of a mode is what the agent does in it: packages/conversations/test/modes.test.ts.
    name: "modes",
    isRecorded: false,
    run: async (stage, agent) => {
      await stage.start();
      const options = stage.updates.flatMap((update) => (update.type === "options" ? update.options : []));
      const option = options.findLast(({ category }) => category === "mode");
      assert.ok(option?.values !== undefined);
      for (const { id, asks } of option.values) {
        await stage.option(option.id, id);
        await stage.file("a.txt", "one\ntwo\n");
        const tried = async (...turns: readonly Turn[]): Promise<"asked" | "unasked"> => {
          stage.model.play(...turns);
          stage.prompt("Go");
          const over = stage.end().then(() => "unasked" as const);
          const done = await Promise.race([over, stage.question().then(() => "asked" as const)]);
          if (done === "asked") await stage.answer("reject-once");
          await over;
          return done;
        };
        const edit = await tried(...edits(stage, "two", "TWO"));
        const isEdited = (await stage.text("a.txt")).includes("TWO");
        const command = await tried(shell("touch made.txt"));
        const isMade = await stage.text("made.txt").then(
          () => true,
          () => false,
        );
        const words = (done: string, isDone: boolean): string => (done === "asked" || isDone ? done : "refused");
        stage.report(`${agent}, ${id}: edit ${words(edit, isEdited)}, command ${words(command, isMade)}`);
        assert.deepEqual([id, isEdited, isMade], [id, asks !== "always", asks === "never"]);
        if (asks === "sometimes") assert.equal(command, "asked");
        await rm(stage.path("made.txt"), { force: true });
      }
    },
  },
  {
    name: "decisions",
    isRecorded: true,
    run: async (stage, agent) => {
      await stage.start();
      await stage.file("a.txt", "one\ntwo\nthree\n");
      stage.model.play(said("Hello **you**."));
      stage.prompt("Say hello");
      assert.equal(await stage.end(), "done");

      stage.model.play(...edits(stage, "two", "TWO"), said("Edited first."));
      stage.prompt("Edit");
      await stage.answer("allow-once");
      assert.equal(await stage.end(), "done");
      assert.equal(await stage.text("a.txt"), "one\nTWO\nthree\n");

      stage.model.play(...edits(stage, "TWO", "zwei"), said("Edited second."));
      stage.prompt("Edit again");
      await stage.answer("allow-once", "one\nzwo\nthree\n");
      assert.equal(await stage.end(), "done");
      assert.equal(await stage.text("a.txt"), "one\nzwo\nthree\n");
      const isToldAtOnce = lastRequest(stage).includes("zwo");
      stage.report(`the model was sent the edited text ${isToldAtOnce ? "in the same turn" : "with the next prompt"}`);
      assert.equal(isToldAtOnce, agent === "qwen");

      stage.model.play(...edits(stage, "three", "3"), said("Not edited."));
      stage.prompt("Edit a third time");
      await stage.answer("reject-once");
      assert.equal(await stage.end(), "done");
      assert.equal(await stage.text("a.txt"), "one\nzwo\nthree\n");
      assert.ok(stage.model.conversation.some((request) => request.includes("was changed before I accepted it")));
      // One of them ends the turn with the rejection: what is left of the script is said to the next prompt.
      if (agent === "qwen") {
        stage.prompt("And now");
        assert.equal(await stage.end(), "done");
      }

      const command = "echo hello && seq 1 3";
      stage.model.play(shell(command), said("Ran it."));
      stage.prompt("Run");
      const { question } = await stage.answer("allow-once");
      assert.ok(question.type === "permission");
      assert.equal(question.command, command);
      assert.equal(await stage.end(), "done");

      stage.model.play(shell("touch never.txt"));
      stage.prompt("Run more");
      await stage.answer("reject-once");
      await stage.end();
      await assert.rejects(stage.text("never.txt"));
    },
  },
  {
    name: "stop",
    isRecorded: true,
    run: async (stage) => {
      await stage.start();
      await stage.file("a.txt", "one\ntwo\n");
      stage.model.play(...edits(stage, "two", "TWO"));
      stage.prompt("Edit");
      await stage.wait();
      await stage.interrupt();
      assert.equal(await stage.end(), "stopped");
      assert.equal(await stage.text("a.txt"), "one\ntwo\n");
      stage.model.play(said("Still here."));
      stage.prompt("Go on");
      assert.equal(await stage.end(), "done");
    },
  },
  {
    name: "stop-thinking",
    isRecorded: false,
    run: async (stage) => {
      await stage.start();
      const release = stage.model.hold();
      stage.prompt("Think");
      await stage.model.untilAsked();
      const begun = performance.now();
      await stage.interrupt();
      assert.equal(await stage.end(), "stopped");
      stage.report(`stopped after ${Math.round(performance.now() - begun)} ms`);
      release();
    },
  },
  {
    name: "modes",
    isRecorded: true,
    run: async (stage, agent) => {
      await stage.start();
      await stage.file("a.txt", "one\ntwo\n");
      await stage.option("mode", agent === "gemini" ? "autoEdit" : "auto-edit");
      if (agent === "gemini") await stage.option("model", "gemini-2.5-pro");
      stage.model.play(...edits(stage, "two", "TWO"), said("Edited without a question."));
      stage.prompt("Edit");
      assert.equal(await stage.end(), "done");
      assert.equal(await stage.text("a.txt"), "one\nTWO\n");
      const changed = stage.updates.filter((update) => update.type === "file-changed");
      assert.deepEqual(
        changed.map(({ isAsked }) => isAsked),
        [false],
      );
    },
  },
  {
    name: "always",
    isRecorded: true,
    run: async (stage) => {
      await stage.start();
      await stage.file("a.txt", "one\ntwo\n");
      stage.model.play(...edits(stage, "two", "TWO"), ...edits(stage, "one", "ONE"), said("Edited twice."));
      stage.prompt("Edit");
      await stage.answer("allow-always");
      assert.equal(await stage.end(), "done");
      assert.equal(await stage.text("a.txt"), "ONE\nTWO\n");
    },
  },
  {
    name: "new-file",
    isRecorded: true,
    run: async (stage) => {
      await stage.start();
      stage.model.play(...stage.kind.writeTurns(stage.path("new.txt"), "fresh\n"), said("Written."));
      stage.prompt("Write");
      const { question } = await stage.answer("allow-once");
      assert.equal(await stage.end(), "done");
      assert.equal(await stage.text("new.txt"), "fresh\n");
      assert.ok(question.type === "permission");
      assert.equal(question.change?.before, undefined);
    },
  },
  {
    name: "carriage-returns",
    isRecorded: true,
    run: async (stage) => {
      await stage.start();
      await stage.file("a.txt", "one\r\ntwo\r\n");
      stage.model.play(...edits(stage, "two", "TWO"), said("Edited with returns."));
      stage.prompt("Edit");
      await stage.answer("allow-once", "one\nzwo\n");
      assert.equal(await stage.end(), "done");
      assert.equal(await stage.text("a.txt"), "one\r\nzwo\r\n");
    },
  },
  {
    name: "long-command",
    isRecorded: false,
    run: async (stage) => {
      await stage.start();
      const command = `touch long.txt && echo ${"abcdefghi ".repeat(1_000)}\necho second line`;
      stage.model.play(shell(command), said("Ran it."));
      stage.prompt("Run");
      const { question } = await stage.answer("allow-once");
      assert.ok(question.type === "permission");
      stage.report(`of ${command.length} characters of a command ${question.command?.length} are shown`);
      assert.equal(question.command, command);
      await stage.end();
    },
  },
  {
    name: "form",
    only: "qwen",
    isRecorded: true,
    run: async (stage) => {
      await stage.start();
      const options = [
        { label: "Red", description: "As blood" },
        { label: "Blue", description: "As the sky" },
      ];
      const questions = [{ question: "Which colour?", header: "Colour", options, multiSelect: false }];
      stage.model.play({ kind: "tool", name: "ask_user_question", input: { questions } }, said("So be it."));
      stage.prompt("Ask me");
      await stage.fill({ "0": "Blue" });
      assert.equal(await stage.end(), "done");
      assert.ok(
        stage.model.conversation.some((request) => request.includes("Blue") && request.includes("Which colour")),
      );
    },
  },
  {
    name: "signed-out",
    isRecorded: true,
    run: async (stage) => {
      await stage.start({ kind: "new" }, { GEMINI_API_KEY: "", OPENAI_API_KEY: "" });
      const states = stage.updates.flatMap((update) => (update.type === "state" ? [update.state] : []));
      const last = states.at(-1);
      assert.equal(last?.kind, "signed-out");
      stage.report(`signed out: ${JSON.stringify(last)}`);
    },
  },
  {
    name: "links",
    isRecorded: false,
    run: async (stage) => {
      await stage.start();
      await stage.file("a b%20ü.txt", "what is in it\n");
      stage.model.play(said("I see."));
      const blocks = [
        { type: "text", text: "Look at " },
        { type: "mention", path: stage.path("a b%20ü.txt"), lines: { start: 1, end: 1 } },
        {
          type: "excerpt",
          title: "unsaved",
          path: stage.path("other.ts"),
          lines: { start: 3, end: 4 },
          text: "not on disk",
        },
      ] as const;
      assert.equal(await stage.session.prompt({ id: "links", blocks }), "done");
      stage.report(`the mentioned file was read: ${lastRequest(stage).includes("what is in it")}`);
      assert.ok(lastRequest(stage).includes("a b%20ü.txt"));
      assert.ok(lastRequest(stage).includes("not on disk"));
    },
  },
  {
    name: "killed",
    isRecorded: false,
    run: async (stage) => {
      await stage.start();
      const release = stage.model.hold();
      stage.prompt("Think");
      await stage.model.untilAsked();
      stage.kill();
      // Where the program is a child of the one that was killed, it ends its turn first.
      stage.report(`the turn ended as ${await stage.end()}`);
      release();
      while (stage.updates.findLast((update) => update.type === "state")?.state.kind !== "ended") await stage.next();
    },
  },
  {
    name: "resume",
    isRecorded: true,
    run: async (stage, agent) => {
      await stage.start();
      stage.model.play(said("I keep that in mind."));
      stage.prompt("The number is 4711");
      assert.equal(await stage.end(), "done");
      const session = stage.updates.find((update) => update.type === "session");
      await stage.close();
      // Loaded in the minute in which it began, a session is lost.
      if (agent === "gemini") await pause(61_000);
      stage.lines.length = 0;
      stage.updates.length = 0;
      await stage.start({ kind: "resume", sessionId: session?.sessionId ?? "" });
      stage.model.play(said("It is 4711."));
      stage.prompt("Which number");
      assert.equal(await stage.end(), "done");
      const isRemembered = lastRequest(stage).includes("The number is 4711");
      stage.report(`the session ${isRemembered ? "remembers" : "does not remember"}`);
      const replayed = stage.updates.flatMap((update) =>
        update.type === "entry" && update.entry.kind === "prompt" ? [JSON.stringify(update.entry.blocks)] : [],
      );
      stage.report(`replayed: ${replayed.join(" ")}`);
      assert.ok(isRemembered);
    },
  },
];
