import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DiffOpening, DiffRequest } from "@patchbay/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toBufferText } from "../../src/diff/buffer-reader.ts";
import { asShape } from "../../src/vim/shape.ts";
import { createHostUnderTest, type HostUnderTest } from "../simulated/create-host.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a review", () => {
  let test: HostUnderTest;
  const verdicts: string[] = [];

  beforeEach(() => {
    test = createHostUnderTest();
    verdicts.length = 0;
    writeFileSync(join(test.folder, "a.txt"), "one\n");
  });

  afterEach(() => test.dispose());

  const open = (more: Partial<DiffRequest> = {}): Promise<DiffOpening> =>
    test.parts.host.diffs.open(
      {
        id: "p1",
        agentName: "Gemini CLI",
        path: join(test.folder, "a.txt"),
        kind: "change",
        proposedText: "ONE\n",
        agentPresent: true,
        originalText: "one\n",
        unsaved: false,
        standing: "unchanged",
        ...more,
      },
      {
        edited: () => verdicts.push("edited"),
        accepted: (text) => verdicts.push(`accepted ${text}`),
        rejected: () => verdicts.push("rejected"),
        closed: () => verdicts.push("closed"),
      },
    );
  const payload = () => asShape(test.vim.calls.find((call) => call.name === "patchbay#review#open")?.args[0]);

  it("waits until the user has left the command line", async () => {
    test.vim.busyAnswers = 3;
    let opened = false;
    const opening = open().then((value) => {
      opened = true;
      return value;
    });
    while (!opened) {
      await turn();
      test.clock.advance(150);
    }
    expect((await opening).kind).toBe("opened");
    expect(test.vim.calls.filter((call) => call.name === "patchbay#review#open")).toHaveLength(4);
  });

  it("goes to the new review only where nobody types, and never when told so", async () => {
    test.vim.openFile(join(test.folder, "a.txt"));
    await open();
    expect(payload()["focus"]).toBe(false);
    test.vim.calls.length = 0;
    test.clock.advance(2_100);
    await open({ id: "p2" });
    expect(payload()["focus"]).toBe(true);
    test.vim.calls.length = 0;
    test.settings.set("review.focus", "never");
    await open({ id: "p3" });
    expect(payload()["focus"]).toBe(false);
  });

  it("goes there at once when the editor's window has lost the focus", async () => {
    test.vim.openFile(join(test.folder, "a.txt"));
    test.vim.fire("FocusLost");
    await open();
    expect(payload()["focus"]).toBe(true);
  });

  it("comes in parts where its text is long, once, however often Vim is busy", async () => {
    test.vim.busyAnswers = 1;
    const lines = Array.from({ length: 3_000 }, (_, index) => `line ${index} of a long text`);
    const opening = open({ proposedText: `${lines.join("\n")}\n` });
    const isOpen = (): boolean => test.vim.review("p1") !== undefined;
    while (!isOpen()) {
      await turn();
      test.clock.advance(150);
    }
    await opening;
    const sent = test.vim.calls.filter((call) => call.name === "patchbay#parts#add");
    expect(sent.flatMap((call) => call.args[1])).toEqual(lines);
    expect(payload()["proposal"]).toEqual({ parts: "p1 proposal", format: "unix", newline: true });
  });

  it("names its buffers so that the agent and the file are seen", async () => {
    await open({ id: "q2coHPxiQ0UYEwKO" });
    expect(payload()).toMatchObject({
      title: "a.txt",
      leftName: "patchbay://q2coHP/now: a.txt",
      rightName: "patchbay://q2coHP/Gemini CLI: a.txt",
      layout: "tab",
      keys: { accept: "<leader>pa", reject: "<leader>pr" },
    });
  });

  it("is found again after a restart of coc, with the verdict given meanwhile", async () => {
    await open();
    test.vim.onTell = () => {};
    test.vim.type("p1", toBufferText("mine\n"));
    test.vim.accept("p1");
    test.vim.onTell = (kind, subject, detail) => test.parts.report(kind, subject, detail);
    await open();
    test.clock.advance(1);
    expect(verdicts).toEqual(["accepted mine\n"]);
  });

  it("is told whether only the agent's terminal can answer, also where it is found again", async () => {
    await open();
    await open({ decidedBy: "terminal" });
    const told = test.vim.calls.filter((call) => call.name === "patchbay#review#open");
    expect(told.map(({ args }) => asShape(args[0])["terminal"])).toEqual([0, 1]);
  });

  it("is accepted with a text that is too long to come with the verdict", async () => {
    await open();
    test.vim.type("p1", toBufferText("mine\n"));
    test.parts.report("accepted", "p1", {});
    await expect.poll(() => verdicts).toEqual(["edited", "accepted mine\n"]);
  });

  it("asks nothing of an editor that is about to end", async () => {
    const opening = await open();
    if (opening.kind !== "opened") throw new Error("not opened");
    test.parts.abandon();
    test.vim.calls.length = 0;
    await opening.view.close("stopped");
    expect(await opening.view.currentText()).toBe("ONE\n");
    expect(test.vim.calls).toEqual([]);
  });

  it("takes over what the agent wrote, also when it takes a while", async () => {
    const opening = await open();
    if (opening.kind !== "opened") throw new Error("not opened");
    test.vim.accept("p1");
    await opening.view.close("accepted");
    writeFileSync(join(test.folder, "a.txt"), "ONE, and longer\n");
    const isReloaded = (): boolean => test.vim.calls.some((call) => call.name === "patchbay#disk#reload");
    while (!isReloaded()) {
      await turn();
      test.clock.advance(10);
    }
    expect(test.vim.calls).toContainEqual({ name: "patchbay#disk#reload", args: [join(test.folder, "a.txt")] });
  });

  it("that is over is no place to accept in, and says so", async () => {
    const said = () => test.vim.calls.filter((call) => call.name === "patchbay#say").map((call) => call.args[0]);
    const opening = await open();
    if (opening.kind !== "opened") throw new Error("not opened");
    await opening.view.close("superseded");
    test.parts.report("closed", "p1", undefined);
    for (const id of ["p1", "of an earlier run", "p2"]) test.parts.report("accepted", id, {});
    await open({ id: "p2" });
    expect(said()).toEqual([]);
    test.clock.advance(3_000);
    expect(said()).toEqual(Array.from({ length: 2 }, () => expect.stringMatching(/^This review had ended/u)));
    expect(verdicts).toEqual([]);
  });

  it("tells User autocommands what happened", async () => {
    const opening = await open();
    if (opening.kind !== "opened") throw new Error("not opened");
    await opening.view.close("rejected");
    const told = test.vim.calls.filter((call) => call.name === "patchbay#announce").map((call) => call.args[0]);
    expect(told).toEqual(["PatchbayDiffOpened", "PatchbayDiffRejected"]);
  });
});
