import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AcpAct, AcpReplay, parseAcpTranscript } from "@patchbay/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { geminiProfile, qwenProfile } from "../../src/acp/profiles.ts";
import type { Answer, Entry } from "../../src/model/index.ts";
import { cleanLabs, labWith, type SessionLab } from "./session-lab.ts";

// What the real agents said and were told (tooling/e2e records it): a session of ours says the same again, word for word,
// and makes of it what is expected here.

afterEach(cleanLabs);

const golden = new URL("../golden/", import.meta.url);
const profiles = { gemini: geminiProfile, qwen: qwenProfile } as const;

/** One line for an entry: what people would see of it. */
function lineOf(entry: Entry): string {
  switch (entry.kind) {
    case "message":
      return `says ${entry.text}`;
    case "tool":
      return `${entry.name}: ${entry.state}${entry.changes?.map(({ after }) => ` ${JSON.stringify(after)}`).join("") ?? ""}`;
    case "question":
      return `asks: ${entry.outcome?.type === "answered" ? entry.outcome.summary : entry.outcome?.type}`;
    case "turn-end":
      return entry.reason;
    case "notice":
      return `notice: ${entry.text}`;
    default:
      return entry.kind;
  }
}

async function replay(agent: keyof typeof profiles, name: string): Promise<SessionLab<AcpReplay>> {
  const text = readFileSync(new URL(`${agent}/${name}.jsonl`, golden), "utf8");
  const resumed = /"method":"session\/(?:load|resume)","params":\{"sessionId":"(?<id>[^"]+)"/u.exec(text)?.groups?.[
    "id"
  ];
  let cwd = "";
  const agentOf = (): AcpReplay => new AcpReplay(parseAcpTranscript(text, cwd));
  const probe = labWith(agentOf(), profiles[agent]);
  cwd = probe.cwd;
  const lab = labWith(agentOf(), profiles[agent], {
    cwd,
    ...(resumed === undefined ? {} : { start: { kind: "resume", sessionId: resumed } as const }),
  });
  let pending: Promise<unknown> = lab.session.start();
  let turn: Promise<unknown> = Promise.resolve();
  await lab.agent.play(async (act) => {
    if (act.do === "end") await turn;
    else if (act.do === "wait") await lab.question();
    else if (act.do !== "answer" && act.do !== "fill") await pending;
    if (act.do === "prompt") turn = lab.prompt(act.text);
    else if (act.do === "interrupt") pending = lab.session.interrupt();
    else if (act.do === "option") pending = lab.session.setOption(act.id, act.value);
    else if (act.do === "file") lab.host.files.set(join(cwd, act.path), act.text);
    else if (act.do === "answer" || act.do === "fill") await answer(lab, act);
  });
  await pending;
  await turn;
  return { ...lab, path: probe.path };
}

async function answer(lab: SessionLab<AcpReplay>, act: AcpAct & { readonly do: "answer" | "fill" }): Promise<void> {
  const { id, question } = await lab.question();
  expect(lab.session.answer(id, answerTo(act, question.type === "form" ? [] : question.choices))).toBe(true);
}

function answerTo(
  act: AcpAct & { readonly do: "answer" | "fill" },
  choices: readonly { readonly id: string; readonly kind: string }[],
): Answer {
  if (act.do === "fill") return { type: "form", values: act.values };
  const choiceId = choices.find(({ kind }) => kind === act.choice)?.id ?? "";
  return act.text === undefined ? { type: "choice", choiceId } : { type: "choice", choiceId, text: act.text };
}

/** What is to come of a transcript: the files, and a line for each entry. */
interface Outcome {
  readonly files: Readonly<Record<string, string>>;
  readonly lines: readonly string[];
}

const edited = (tool: string, text: string): string => `${tool}: done ${JSON.stringify(text)}`;

const expected: Readonly<Record<string, Outcome>> = {
  "gemini/always": {
    files: { "a.txt": "ONE\nTWO\n" },
    lines: [
      edited("replace", "one\nTWO\n"),
      "asks: Allow for this session",
      edited("replace", "ONE\nTWO\n"),
      "says Edited twice.",
      "done",
    ],
  },
  "gemini/carriage-returns": {
    files: { "a.txt": "one\r\nzwo\r\n" },
    lines: [edited("replace", "one\r\nzwo\r\n"), "asks: Allow", "says Edited with returns.", "done"],
  },
  "gemini/decisions": {
    files: { "a.txt": "one\nzwo\nthree\n" },
    lines: [
      "says Hello **you**.",
      "done",
      edited("replace", "one\nTWO\nthree\n"),
      "asks: Allow",
      "says Edited first.",
      "done",
      edited("replace", "one\nzwo\nthree\n"),
      "asks: Allow",
      "says Edited second.",
      "done",
      "notice: Gemini CLI was told how a.txt reads now.",
      'replace: rejected "one\\nzwo\\n3\\n"',
      "asks: Reject",
      "says Not edited.",
      "done",
      "run_shell_command: done",
      "asks: Allow",
      "says Ran it.",
      "done",
      "run_shell_command: rejected",
      "asks: Reject",
      "says All done.",
      "done",
    ],
  },
  "gemini/modes": {
    files: { "a.txt": "one\nTWO\n" },
    lines: [edited("replace", "one\nTWO\n"), "says Edited without a question.", "done"],
  },
  "gemini/new-file": {
    files: { "new.txt": "fresh\n" },
    lines: [edited("write_file", "fresh\n"), "asks: Allow", "says Written.", "done"],
  },
  "gemini/resume": { files: {}, lines: ["prompt", "says I keep that in mind.", "says It is 4711.", "done"] },
  "gemini/signed-out": { files: {}, lines: [] },
  "gemini/stop": {
    files: { "a.txt": "one\ntwo\n" },
    lines: ['replace: cancelled "one\\nTWO\\n"', "asks: withdrawn", "says Still here.", "done"],
  },
  "qwen/always": {
    files: { "a.txt": "ONE\nTWO\n" },
    lines: [
      "read_file: done",
      edited("edit", "one\nTWO\n"),
      "asks: Allow All Edits",
      "read_file: done",
      edited("edit", "ONE\nTWO\n"),
      "says Edited twice.",
      "done",
    ],
  },
  "qwen/carriage-returns": {
    files: { "a.txt": "one\r\nzwo\r\n" },
    lines: [
      "read_file: done",
      edited("edit", "one\r\nzwo\r\n"),
      "asks: Allow",
      "notice: Qwen Code was told how a.txt reads now.",
      "says Edited with returns.",
      "done",
    ],
  },
  "qwen/decisions": {
    files: { "a.txt": "one\nzwo\nthree\n" },
    lines: [
      "says Hello **you**.",
      "done",
      "read_file: done",
      edited("edit", "one\nTWO\nthree\n"),
      "asks: Allow",
      "says Edited first.",
      "done",
      "read_file: done",
      edited("edit", "one\nzwo\nthree\n"),
      "asks: Allow",
      "notice: Qwen Code was told how a.txt reads now.",
      "says Edited second.",
      "done",
      "read_file: done",
      'edit: rejected "one\\nzwo\\n3\\n"',
      "asks: Reject",
      "done",
      "says Not edited.",
      "done",
      "run_shell_command: done",
      "asks: Allow",
      "says Ran it.",
      "done",
      "run_shell_command: rejected",
      "asks: Reject",
      "done",
    ],
  },
  "qwen/form": { files: {}, lines: ["ask_user_question: done", "asks: Which colour? Blue", "says So be it.", "done"] },
  "qwen/modes": {
    files: { "a.txt": "one\nTWO\n" },
    lines: ["read_file: done", edited("edit", "one\nTWO\n"), "says Edited without a question.", "done"],
  },
  "qwen/new-file": {
    files: { "new.txt": "fresh\n" },
    lines: [edited("write_file", "fresh\n"), "asks: Allow", "says Written.", "done"],
  },
  "qwen/resume": { files: {}, lines: ["says It is 4711.", "done"] },
  "qwen/signed-out": { files: {}, lines: [] },
  "qwen/stop": {
    files: { "a.txt": "one\ntwo\n" },
    lines: [
      "read_file: done",
      'edit: cancelled "one\\nTWO\\n"',
      "asks: withdrawn",
      "stopped",
      "says Still here.",
      "done",
    ],
  },
};

const recorded = Object.keys(profiles).flatMap((agent) =>
  readdirSync(new URL(`${agent}/`, golden)).map((file) => `${agent}/${file.replace(".jsonl", "")}`),
);

describe("transcripts of real agents", () => {
  it.each(recorded)("%s", async (transcript) => {
    const [agent, name = ""] = transcript.split("/");
    const lab = await replay(agent === "qwen" ? "qwen" : "gemini", name);
    const files = Object.fromEntries(
      Array.from(lab.host.files, ([path, text]) => [path.slice(lab.cwd.length + 1), text]),
    );
    expect({ files, lines: lab.entries().map(lineOf) }).toEqual(expected[transcript]);
  });
});
