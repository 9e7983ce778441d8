// @vitest-environment jsdom
import { afterEach, describe, expect, it } from "vitest";
import { TestPanel } from "../support/panel.tsx";

let panel: TestPanel | undefined;

afterEach(() => panel?.close());

describe("the log", () => {
  it("says once that the agent has crashed, with one way on", async () => {
    panel = await TestPanel.show(
      [
        {
          kind: "notice",
          id: "n",
          at: 0,
          level: "error",
          text: "Claude Code exited unexpectedly (code 1).",
          action: "restart",
        },
        { kind: "turn-end", id: "e", at: 0, reason: "exited", durationMs: 2000 },
      ],
      { state: { kind: "ended", reason: "Claude Code exited unexpectedly (code 1)." } },
    );
    const log = panel.one(".log-content", HTMLElement);
    expect(log.textContent).toBe("Claude CodeClaude Code exited unexpectedly (code 1).Restart2 s");
    expect(log.querySelectorAll("button")).toHaveLength(1);
  });

  it("says that the agent has ended where nothing else does", async () => {
    panel = await TestPanel.show([{ kind: "turn-end", id: "e", at: 0, reason: "exited" }], {
      state: { kind: "ended", reason: "gone" },
    });
    expect(panel.text).toContain("The agent exited");
    expect(panel.text).toContain("Your next message starts it again.");
  });

  it("draws no letters of an answer backwards, and says where an image leads", async () => {
    const text = "Open photo_\u202egpj.exe\u202c and `a\u202eb`.\n\n![the logo\u202e](https://example.com/track.png)";
    panel = await TestPanel.show([{ kind: "message", id: "m", at: 0, isComplete: true, text }]);
    const paragraphs = Array.from(panel.root.querySelectorAll(".markdown p"), ({ textContent }) => textContent);
    expect(paragraphs).toEqual([
      String.raw`Open photo_\u{202e}gpj.exe\u{202c} and a\u{202e}b.`,
      String.raw`the logo\u{202e} (Image: https://example.com/track.png)`,
    ]);
  });
});
