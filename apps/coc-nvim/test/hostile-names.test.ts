import type { ProposalInfo, SessionInfo } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import { proposalLabel } from "../src/commands/reviews.ts";
import { readPanes } from "../src/commands/terminals.ts";
import { reviewNames, shortPath } from "../src/diff/review-names.ts";
import { noticeLines } from "../src/host/vim-messages.ts";
import { statusText } from "../src/status-text.ts";
import { plainLine, plainStatus } from "../src/vim/shape.ts";

/** What a file in a cloned repository, or a program that calls itself an agent, may be named. */
const hostile: readonly string[] = [
  "a\u001b]0;owned\u0007b",
  "a\u001b[2J\u001b[31mb",
  "a\u009b31mb",
  "a\nlet g:owned = 1\nb",
  "a\r\nb",
  "a\u0000b",
  "a\u007f\u0008b",
  "gnp.\u202efdp.exe",
  "a\u2066b\u2069\u200b\u2028c\u2029d\ufeff",
  "a\u{e0041}b",
  "a\u3164\u115f\u034f\u2800b",
  "a\ufe01\ufe02b",
  "a\u{e0101}\u{e0102}b",
];

/** Anything that a terminal or Vim would act on. */
const active =
  /[\p{Cc}\u034f\u061c\u115f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\u{e0000}-\u{e0fff}]|[\ufe00-\ufe0f]{2}/u;

const proposal = (name: string): ProposalInfo => ({
  id: "p1",
  sessionId: "s1",
  agentName: name,
  path: `/ws/${name}`,
  kind: "change",
  edited: true,
  state: "kept",
  standing: "unchanged",
  isHeld: false,
  createdAt: 0,
  lines: undefined,
  sessionTitle: undefined,
});
const session = (name: string): SessionInfo => ({
  id: "s1",
  dialect: "gemini",
  agentName: name,
  version: name,
  state: "connected",
  openProposals: 1,
  since: 0,
});

/** Every place where the edition itself puts such a name before the user. */
const surfaces: Readonly<Record<string, (name: string) => readonly string[]>> = {
  "the names of a review's buffers": (name) => Object.values(reviewNames("p1", name, `/ws/${name}`)),
  "the title of a review": (name) => [shortPath(`/ws/${name}`, ["/ws"]), shortPath(`/${name}/x`, ["/ws"])],
  "a notice": (name) => noticeLines(`${name} proposes a change to /ws/${name}. Show it?`, `/ws/${name}`, 80),
  "the list of proposals": (name) => [proposalLabel(proposal(name))],
  "the status": (name) => [
    statusText(
      {
        state: { kind: "listening", port: 1, warnings: [] },
        sessions: [session(name)],
        proposals: [],
        activities: [],
        commands: undefined,
      },
      true,
    ),
  ],
  "the choice of a tmux pane": (name) => readPanes(`%1\tbash\t1.1\t/ws/${name}`, undefined).map(({ title }) => title),
  "any other line": (name) => [plainLine(name), plainStatus(name)],
};

describe.each(Object.entries(surfaces))("%s", (_surface, shown) => {
  it.each(hostile)("shows a name as text: %j", (name) => {
    const texts = shown(name);
    // A pane's line is cut at a line end before anybody sees it.
    for (const text of texts) expect(text).not.toMatch(active);
    expect(plainLine(name)).toContain("\ufffd");
  });
});

it("the status has no items of 'statusline' in it", () => {
  expect(plainStatus("100% %{system('x')} %!x()")).toBe("100\uff05 \uff05{system('x')} \uff05!x()");
});

it("text stays as it is", () => {
  const text = "\tGrüße, 世界 👩🏽 [a](command:b) 50%";
  expect(plainLine(text)).toBe(text);
});
