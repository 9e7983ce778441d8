// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { TestPanel } from "../support/panel.tsx";

describe("what goes on in the background", () => {
  let panel: TestPanel;

  afterEach(() => {
    panel.close();
    vi.useRealTimers();
  });

  it("is shown as long as it does, with how long it has taken and a button to stop it", async () => {
    vi.useFakeTimers({ now: 100_000 });
    panel = await TestPanel.show([], {
      tasks: [
        { id: "t1", kind: "command", title: "Start the server", since: 95_000 },
        { id: "t2", kind: "subagent", title: "", since: 20_000 },
      ],
    });
    const rows = (): readonly string[] =>
      Array.from(panel.root.querySelectorAll(".tasks li"), ({ textContent }) => textContent);
    expect(rows()).toEqual(["Start the server5 s", "Subagent1 min 20 s"]);
    await panel.press("Stop: Start the server");
    expect(panel.heard("stop-task")).toEqual([{ type: "stop-task", conversation: "c1", id: "t1" }]);
    await panel.do(() => panel.host.status({ tasks: [] }));
    expect(panel.root.querySelector(".tasks")).toBeNull();
  });
});
