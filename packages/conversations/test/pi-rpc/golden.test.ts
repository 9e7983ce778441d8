import { readFile } from "node:fs/promises";
import { createNodePlatform, nullLogger } from "@patchbay/core";
import { piScenarios, type RecordedLine, ReplayedProgram, ScenarioPlayer } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Entry, SessionUpdate } from "../../src/model/index.ts";
import { PiSession } from "../../src/pi-rpc/session.ts";

const line = z.object({ dir: z.enum(["in", "out", "host"]), body: z.unknown() });
const hostLine = z.object({ path: z.string(), text: z.string().optional() });

/** How each conversation looks in the end. */
const looks: Readonly<Record<string, readonly string[]>> = {
  edits: [
    "message: Hello **there**.",
    "done",
    "write a.txt: done",
    "permission? Yes",
    "message: Written.",
    "done",
    "write c.txt: done",
    "permission? Yes",
    "message: Written again.",
    "done",
    "read b.txt: done",
    "edit b.txt: done",
    "permission? Yes",
    "message: Edited.",
    "done",
    "edit b.txt: rejected",
    "permission? No: leave it",
    "message: Then not.",
    "done",
  ],
  "at-once": [
    "edit b.txt: done",
    "edit b.txt: rejected",
    "edit b.txt: done",
    "permission? Yes",
    "permission? No",
    "permission? Yes",
    "message: All three.",
    "done",
  ],
  commands: [
    "bash: echo hello; echo hello > hello.txt: done",
    "permission? Yes",
    "message: Said.",
    "done",
    "bash: touch never.txt: rejected",
    "permission? No",
    "message: Then not.",
    "done",
    "bash: printf missing > /workspace-is-not-here/x: failed",
    "permission? Yes",
    "message: It failed.",
    "done",
  ],
  stops: [
    "bash: touch asked.txt: cancelled",
    "write next.txt: cancelled",
    "permission? withdrawn",
    "stopped",
    "bash: touch running.txt; tail -f /dev/null: cancelled",
    "permission? Yes",
    "stopped",
    "message: Going on.",
    "done",
  ],
  options: [
    "bash: echo one > a.txt: done",
    "permission? Yes, and switch to “Run commands freely” for this session. Asks before it changes files; runs everything else without a question.",
    "bash: echo two > b.txt: done",
    "message: Both have run.",
    "done",
    "write c.txt: done",
    "message: Written without a question.",
    "done",
  ],
  dialogs: [
    "form? Which one? B",
    "form? It cannot be undone. Yes",
    "form? Its name? Ada",
    "info: B, true, Ada",
    "done",
    "message: Going on.",
    "done",
  ],
  "signed-out": [],
};

async function recorded(name: string): Promise<readonly RecordedLine[]> {
  const text = await readFile(new URL(`../golden/pi/${name}.jsonl`, import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((one) => {
      const { dir, body } = line.parse(JSON.parse(one));
      return { dir, body };
    });
}

function look(updates: readonly SessionUpdate[]): readonly string[] {
  const entries = new Map<string, Entry>();
  for (const update of updates) if (update.type === "entry") entries.set(update.entry.id, update.entry);
  return [...entries.values()].map(shown);
}

function shown(entry: Entry): string {
  switch (entry.kind) {
    case "message":
    case "thought":
      return `${entry.kind}: ${entry.text}`;
    case "tool":
      return `${entry.parent === undefined ? "" : "  "}${entry.title}: ${entry.state}`;
    case "question":
      return `${entry.question.type}? ${entry.outcome?.type === "answered" ? entry.outcome.summary : entry.outcome?.type}`;
    case "notice":
      return `${entry.level}: ${entry.text}`;
    case "turn-end":
      return entry.reason;
    default:
      return entry.kind;
  }
}

describe("a recorded conversation with Pi", () => {
  it.each(piScenarios.map(({ name, play }) => ({ name, play })))(
    "is held in the same way: $name",
    async ({ name, play }) => {
      const lines = await recorded(name);
      const texts = lines.flatMap(({ dir, body }) => (dir === "host" ? [hostLine.parse(body)] : []));
      const program = new ReplayedProgram(lines);
      const { clock, files } = createNodePlatform();
      const session = new PiSession({
        ports: { children: program.children, clock, logger: nullLogger },
        files,
        host: {
          readText: async () => await Promise.resolve(texts.shift()?.text),
          writeText: async () => await Promise.reject(new Error("Pi writes files itself.")),
          saveIfDirty: async () => await Promise.resolve(false),
          // Behind a change no problems are waited for.
          problems: async () => await Promise.reject(new Error("There are none.")),
          mayRead: () => true,
          locate: async () => await Promise.resolve({ isInside: true, isShared: true }),
        },
        cwd: "/workspace",
        start: { kind: "new" },
        launch: async (args, environment) => await Promise.resolve({ program: "/pi", args, environment }),
        autosave: true,
      });
      const player = new ScenarioPlayer(session);
      await session.start();
      await play(player);
      await session.close();
      const inOrder = (messages: readonly unknown[]): readonly string[] =>
        messages.map((one) => JSON.stringify(one)).sort();
      expect(inOrder(program.heard)).toEqual(inOrder(program.expected));
      expect(look(player.updates)).toEqual(looks[name]);
    },
  );
});
