import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agents, type DiffOutcome } from "@patchbay/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { useCommandLab } from "./command-lab.ts";

const lab = useCommandLab();

describe("sharing", () => {
  it("is paused and resumed for this editor and the next ones", async () => {
    lab.register();
    await lab.coc.run("patchbay.toggleSharing");
    expect([lab.coc.settings.get("share.enabled"), lab.companion.updates]).toEqual([false, [{ sharing: false }]]);
    await lab.coc.run("patchbay.toggleSharing");
    expect([lab.coc.settings.get("share.enabled"), lab.companion.updates.at(-1)]).toEqual([true, { sharing: true }]);
    expect(lab.coc.said).toHaveLength(2);
  });

  it("is shown as agents see it, line by line", async () => {
    lab.register();
    lab.companion.shared = {
      files: [{ path: "/w/a.txt", timestamp: 0 }],
      active: {
        path: "/w/a.txt",
        cursor: { line: 2, character: 0 },
        selection: { range: { start: { line: 2, character: 0 }, end: { line: 3, character: 1 } }, text: "x\ny" },
      },
    };
    await lab.coc.run("patchbay.showShared");
    expect(lab.coc.page("Patchbay: what is shared")).toEqual([
      "open       /w/a.txt",
      "active     /w/a.txt",
      "cursor     line 3, character 1",
      "selection",
      "    x",
      "    y",
    ]);
    lab.coc.settings.set("share.enabled", false);
    await lab.coc.run("patchbay.showShared");
    expect(lab.coc.page("Patchbay: what is shared")).toEqual(["Sharing is paused; nothing is shared."]);
  });
});

describe("the tour", () => {
  /** Takes it, and does with its end as asked. */
  async function decide(outcome: DiffOutcome, choice: string, title: string): Promise<readonly string[]> {
    const { request, decide: settle } = lab.companion.reviews.at(-1) ?? { request: undefined, decide: () => {} };
    expect(request).toMatchObject({ isTrial: true, isEditable: true });
    lab.coc.choice = choice;
    settle(outcome);
    await expect.poll(() => lab.coc.offered.get(title)).toBeDefined();
    return lab.coc.offered.get(title) ?? [];
  }

  it("shows a made-up change, says how to answer, and offers what is there", async () => {
    lab.register();
    vi.stubEnv("PATH", "/nowhere");
    lab.coc.settings.set("agents", { mine: process.execPath });
    await lab.coc.run("patchbay.tour");
    expect(lab.coc.said).toEqual([expect.stringContaining(":w accepts, :q rejects")]);
    expect(lab.companion.revealed).toEqual(["trial0"]);
    const text = lab.companion.reviews[0]?.request.text ?? "";
    const title = "An agent would now write 3 of its 3 changes";
    const offered = await decide({ kind: "accepted", text, edited: false }, "Start mine", title);
    expect(offered).toEqual(["Start mine", "Do this again", "Quit"]);
    await expect.poll(() => lab.terminals().map(([name]) => name)).toEqual(["mine"]);
  });

  it("can be taken again, and leads to the health page where no agent can be started", async () => {
    lab.register();
    vi.stubEnv("PATH", "/nowhere");
    await lab.coc.run("patchbay.tour");
    await decide({ kind: "rejected" }, "Do this again", "An agent would now write nothing");
    await expect.poll(() => lab.companion.reviews.length).toBe(2);
    const edited = `${lab.companion.reviews[1]?.request.text ?? ""}// more\n`;
    const title = "An agent would now write 3 of its 3 changes, with your edits";
    const choice = "See how to connect an agent";
    expect((await decide({ kind: "accepted", text: edited, edited: true }, choice, title))[0]).toBe(choice);
    await expect.poll(() => lab.coc.page("Patchbay: health")).toBeDefined();
    expect(lab.terminals()).toEqual([]);
  });

  it("says nothing more when the editor ends, and why it cannot be had", async () => {
    lab.register();
    await lab.coc.run("patchbay.tour");
    lab.companion.reviews[0]?.decide({ kind: "stopped" });
    await expect
      .poll(async () => {
        await lab.coc.run("patchbay.tour");
        return lab.companion.reviews.length;
      })
      .toBe(2);
    expect(lab.coc.offered.size).toBe(0);
    lab.companion.reviews[1]?.decide({ kind: "stopped" });
    vi.stubEnv("TMPDIR", "/nowhere/at/all");
    await expect
      .poll(async () => {
        await lab.coc.run("patchbay.tour");
        return lab.coc.said.at(-1);
      })
      .toContain("/nowhere/at");
  });
});

describe("health", () => {
  it("finds each agent's record where that agent looks, and says where it has looked", async () => {
    lab.register();
    const { temporary, home } = lab.coc;
    mkdirSync(join(temporary, "gemini", "ide"), { recursive: true });
    writeFileSync(join(temporary, "gemini", "ide", "gemini-ide-server-1-4711.json"), "{}");
    // Of another port.
    mkdirSync(join(home, ".claude", "ide"), { recursive: true });
    writeFileSync(join(home, ".claude", "ide", "4712.lock"), "{}");
    for (const { program } of agents) installProgram(program.command);
    await lab.coc.run("patchbay.health");
    const page = lab.coc.page("Patchbay: health") ?? [];
    const about = (name: string): string | undefined =>
      page.find((line) => line.includes(name) && line.includes("this editor"));
    expect(about("Gemini CLI")).toBe(
      `OK       Gemini CLI finds this editor through ${join(temporary, "gemini", "ide", "gemini-ide-server-1-4711.json")}`,
    );
    for (const [name, folder] of [
      ["Qwen Code", ".qwen"],
      ["Claude Code", ".claude"],
    ] as const) {
      expect(about(name)).toBe(
        `PROBLEM  ${name} cannot find this editor: there is no record of it in ${join(home, folder, "ide")}`,
      );
    }
  });

  it("says what state the companion is in", async () => {
    lab.register();
    lab.companion.state = { kind: "failed", message: "No port could be had." };
    await lab.coc.run("patchbay.health");
    expect(lab.coc.page("Patchbay: health")).toContain(
      "PROBLEM  No port could be had. Then :CocCommand patchbay.restart [failed]",
    );
  });

  it("names what can be explained, and explains it", async () => {
    lab.register();
    lab.companion.state = { kind: "failed", message: "No port could be had." };
    await lab.coc.run("patchbay.health");
    const page = lab.coc.page("Patchbay: health") ?? [];
    expect(page.filter((line) => line.endsWith(" [failed]"))).toHaveLength(1);
    expect(page.at(-1)).toBe("K in a line with a name in brackets explains it.");
    await lab.coc.run("patchbay.explain", "failed");
    const explanation = lab.coc.page("Patchbay: explanation") ?? [];
    expect(explanation[0]).toBe("Patchbay could not be started [failed]");
    expect(explanation).toEqual(expect.arrayContaining(["WHY", "WHAT TO DO", "WHAT IS NOT HARMED"]));
    expect(explanation.join("\n")).not.toMatch(/```|##/u);
    await lab.coc.run("patchbay.explain", "no-agent-connected");
    expect(lab.coc.page("Patchbay: explanation")).toContain("    patchbay doctor");
    await lab.coc.run("patchbay.explain", "nothing");
    expect(lab.coc.said.at(-1)).toContain('Unknown finding "nothing". Those that there are: agent-too-old, asks, ');
  });

  function installProgram(name: string): void {
    const folder = join(lab.coc.root, "bin");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), "#!/bin/sh\n");
    chmodSync(join(folder, name), 0o755);
    vi.stubEnv("PATH", folder);
  }
});

it("says that nothing waits for an answer where nothing does", async () => {
  lab.register();
  await lab.coc.run("patchbay.answer");
  expect(lab.coc.said).toEqual(["No questions are waiting."]);
});

it("compares with the disk by Vim itself", async () => {
  lab.register();
  await lab.coc.run("patchbay.compareWithDisk", { strange: true });
  expect(lab.coc.vim.calls.at(-1)).toEqual({ name: "patchbay#compare", args: [] });
});

it("fails in the open: the user is told what a command could not do", async () => {
  lab.register();
  lab.coc.vim.failNextCall = "E117: Unknown function";
  await lab.coc.run("patchbay.accept");
  expect(lab.coc.said).toEqual(["patchbay.accept: E117: Unknown function"]);
});

describe("openPanel", () => {
  const pages = (): readonly (readonly unknown[])[] =>
    lab.coc.vim.calls.filter(({ name }) => name === "patchbay#page").map(({ args }) => args);

  it("serves the panel from this process, and shows the link where there is no browser", async () => {
    for (const name of ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"]) vi.stubEnv(name, undefined);
    vi.stubEnv("XDG_STATE_HOME", join(lab.coc.home, "state"));
    lab.register();
    await lab.coc.run("patchbay.openPanel");
    const opened = lab.panel.current;
    onTestFinished(async () => await opened?.close());
    await lab.coc.run("patchbay.openPanel");
    expect(lab.panel.current).toBe(opened);
    const links = pages().map(([title, lines]) => [title, /http:\/\/\S+/u.exec(String(lines))?.[0] ?? ""]);
    expect(links).toMatchObject([
      ["Patchbay: panel", expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#.{20,}$/u)],
      ["Patchbay: panel", expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#.{20,}$/u)],
    ]);
    // Each works once.
    expect(links[0]?.[1]).not.toBe(links[1]?.[1]);
    expect((await fetch(String(links[0]?.[1]))).status).toBe(200);
  });

  it("does not take a mention as long as no conversation is open in it", async () => {
    for (const name of ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"]) vi.stubEnv(name, undefined);
    vi.stubEnv("XDG_STATE_HOME", join(lab.coc.home, "state"));
    lab.register();
    await lab.coc.run("patchbay.openPanel");
    onTestFinished(async () => await lab.panel.current?.close());
    const file = join(lab.coc.folder, "a.ts");
    writeFileSync(file, "one\n");
    lab.coc.vim.openFile(file);
    await lab.coc.run("patchbay.mention", 1, 1);
    expect(lab.companion.mentioned).toHaveLength(1);
    await lab.coc.run("patchbay.sendSelection");
    expect(lab.coc.vim.calls.at(-1)?.args[0]).toContain("Nothing was sent");
  });
});
