import { spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentId, agents } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import * as ask from "../src/host/calls.ts";
import { writeEvent } from "../src/attack/write-event.ts";
import type { Sandbox } from "../src/sandbox.ts";
import { connectHttp, connectWebSocket, pause, startEditor } from "./editor.ts";

const hookProgram = fileURLToPath(new URL("../../../packages/cli/src/hook/main.ts", import.meta.url));

/** Runs an agent's hook, started in the agent's folder, before a write; gives what it prints. */
async function hookOf(agent: AgentId, path: string, { workspace, home, tmp }: Sandbox): Promise<string> {
  const program = spawn(
    process.execPath,
    ["--conditions=@patchbay/source", "--disable-warning=ExperimentalWarning", hookProgram, agent],
    { cwd: workspace, env: { PATH: "/usr/bin:/bin", HOME: home, TMPDIR: tmp }, stdio: ["pipe", "pipe", "inherit"] },
  );
  // Some agents run it in their own process: there its end is the session's.
  const session = `of ${program.pid}`;
  program.stdin.end(writeEvent(agent, { cwd: workspace, session, path, text: `by ${agent}\n` }));
  let said = "";
  for await (const chunk of program.stdout) said += String(chunk);
  return said;
}

describe("paths of diffs", () => {
  it("D09 relative, NUL, UNC, ../ out of the workspace, empty paths are refused and nothing opens (HTTP and WebSocket)", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const socket = await connectWebSocket(editor);
    const { workspace } = editor.sandbox;
    const refused = [
      "",
      " ",
      "a.txt",
      "./a.txt",
      "../a.txt",
      "~/.bashrc",
      `${workspace}/a\0.txt`,
      "\0",
      `${workspace}/../outside.txt`,
      `${workspace}/sub/../../outside.txt`,
      `${workspace}/./../outside.txt`,
      `${workspace}/..`,
      "//server/share/a.txt",
      "\\\\server\\share\\a.txt",
      "\\\\?\\C:\\a.txt",
      "\\\\.\\pipe\\x",
      "file:///etc/passwd",
      "a".repeat(5_000),
      `/${"a".repeat(5_000)}`,
      workspace,
      "/",
      "/dev/null",
      "/dev/stdin",
    ];
    for (const path of refused) {
      const what = JSON.stringify(path.slice(0, 60));
      expect(await agent.openDiff(path, "x\n"), what).toMatchObject({ isError: true });
      expect((await socket.openDiff(path, "x\n"))[0], what).toMatch(/^isError/u);
    }
    expect(await editor.call(ask.views)).toEqual([]);
    expect(await editor.call(ask.proposals)).toEqual([]);
    expect(await editor.call(ask.messages)).toEqual([]);
    // `..` that stays inside is a path like any other.
    expect(await agent.openDiff(`${workspace}/sub/../inside.txt`, "x\n")).toEqual({ content: [] });
  });

  it("D09 a path outside the workspace opens only after the user said yes (HTTP and WebSocket)", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const socket = await connectWebSocket(editor);
    const outside = join(editor.sandbox.root, "outside.txt");
    const sibling = `${editor.sandbox.workspace}-secret.txt`;
    await agent.openDiff(outside, "x\n");
    await agent.openDiff(sibling, "y\n");
    const answer = socket.openDiff("/etc/passwd", "z\n");
    await editor.until("three questions", async () => (await editor.call(ask.messages)).length === 3);
    await pause(300);
    expect(await editor.call(ask.views)).toEqual([]);
    for (const { code } of await editor.call(ask.messages)) expect(code).toBe("outside-workspace");
    await editor.call(ask.answerMessage, { code: "outside-workspace", action: "Show" });
    await editor.view(({ path }) => path === outside);
    expect(await editor.openViews()).toHaveLength(1);
    // The terminal can still decide what was not shown.
    expect(await agent.finalText(sibling)).toBe("y\n");
    expect(await socket.callTool("close_tab", { tab_name: "/etc/passwd" })).toEqual(["TAB_CLOSED"]);
    expect((await answer)[0]).toBe("DIFF_REJECTED");
  });

  it("D10 a symlink out of the workspace counts as outside (HTTP and WebSocket)", async () => {
    const editor = await startEditor();
    const { root, workspace } = editor.sandbox;
    const secret = join(root, "secret.txt");
    writeFileSync(secret, "secret\n");
    mkdirSync(join(root, "elsewhere"));
    symlinkSync(secret, join(workspace, "link.txt"));
    symlinkSync(join(root, "elsewhere"), join(workspace, "linked"));
    symlinkSync("linked", join(workspace, "twice"));
    symlinkSync(join(root, "not-there.txt"), join(workspace, "dangling.txt"));
    symlinkSync("loop", join(workspace, "loop"));
    const agent = await connectHttp(editor);
    const socket = await connectWebSocket(editor);
    const linked = ["link.txt", "linked/new.txt", "twice/deep/new.txt", "dangling.txt", "loop", "loop/a.txt"];
    for (const name of linked) {
      const opened = await agent.openDiff(join(workspace, name), "x\n");
      const toldUser = (await editor.call(ask.messages)).filter(({ text }) => text.includes(name)).length;
      expect(opened.isError === true || toldUser === 1, name).toBe(true);
      void socket.openDiff(join(workspace, name), "x\n").catch(() => undefined);
    }
    await pause(300);
    expect(await editor.call(ask.views)).toEqual([]);
    expect((await socket.callTool("openFile", { filePath: join(workspace, "link.txt") })).join()).toContain("isError");
    // A link that stays inside is inside, and so is the workspace under another name.
    writeFileSync(join(workspace, "real.txt"), "x\n");
    symlinkSync("real.txt", join(workspace, "alias.txt"));
    symlinkSync(workspace, join(root, "workspace-alias"));
    await agent.openDiff(join(workspace, "alias.txt"), "y\n");
    await editor.view(({ path }) => path.endsWith("alias.txt"));
    await agent.openDiff(join(root, "workspace-alias", "real.txt"), "z\n");
    await editor.view(({ path }) => path.includes("workspace-alias"));
  });

  it("D16 in no form is a file of the workspace written without a review: it is shown, or denied with a reason", async () => {
    const editor = await startEditor();
    const { sandbox } = editor;
    const { root, workspace } = sandbox;
    mkdirSync(join(root, "elsewhere", "deep"), { recursive: true });
    mkdirSync(join(workspace, "dir", "deep"), { recursive: true });
    writeFileSync(join(workspace, "old.txt"), "old\n");
    symlinkSync("dir/deep", join(workspace, "link"));
    symlinkSync("target.txt", join(workspace, "dangling"));
    symlinkSync("loop", join(workspace, "loop"));
    symlinkSync("/proc/self/cwd", join(workspace, "here"));
    symlinkSync(join(root, "elsewhere", "deep"), join(workspace, "out"));
    const inside = [
      `/${workspace}/a`,
      `//${workspace}//a`,
      `${workspace}/./a`,
      `${workspace}/dir/../a`,
      `${workspace}/none/../a`,
      `${workspace}/link/../a`,
      `${workspace}/old.txt/`,
      `${workspace}/old.txt/../a`,
      `${workspace}/dangling`,
      `${workspace}/loop`,
      `${workspace}/here/a`,
      "/proc/self/cwd/a",
      "/proc/thread-self/cwd/a",
      `/proc/self/root${workspace}/a`,
      `${workspace}/a\0`,
      `${workspace}/a\nb`,
      `${workspace}/${"a".repeat(300)}`,
      `${workspace}/${"./".repeat(5_000)}a`,
      `${workspace}/${"a/".repeat(5_000)}a`,
      `${workspace}/OLD.TXT`,
      `${workspace}/%61`,
      `${workspace}/dir%2f..%2fa`,
      `${workspace}`,
      `${workspace}/dir`,
    ];
    // What stands for something else with each agent.
    const relative = ["a", "./dir/../a", "../workspace/a", "@a", "@dir/a"];
    // Gemini CLI and Claude Code stay inside with this one; the others leave the workspace, and their user hears of it.
    const leaving = `${workspace}/out/../leaving`;
    for (const { id, agentName } of agents.filter(({ loadHook }) => loadHook !== undefined)) {
      await sandbox.announced(id);
      for (const path of [...inside, ...relative, leaving]) {
        const what = `${id} ${JSON.stringify(path.slice(0, 80))}`;
        const before = (await editor.call(ask.views)).length;
        const answer = hookOf(id, path, sandbox);
        let said: string | undefined;
        void answer.then((output) => {
          said = output;
        });
        const seen = await editor.until(what, async () => said ?? (await editor.openViews())[0], 20_000);
        if (typeof seen === "string") {
          if (path === leaving && !["gemini", "claude"].includes(id)) {
            expect(seen, what).toBe("");
            const told = (await editor.call(ask.messages)).filter(({ code }) => code === "written-outside-workspace");
            expect(
              told.filter(({ text }) => text.startsWith(agentName)),
              what,
            ).toHaveLength(1);
          } else expect(seen, what).toMatch(/"deny".*Nothing was written/u);
          expect(await editor.call(ask.views), what).toHaveLength(before);
        } else {
          expect(`${seen.path}/`, what).toContain(`${workspace}/`);
          await editor.call(ask.reject, { id: seen.id });
          expect(await answer, what).toContain("rejected it");
        }
      }
    }
  }, 300_000);
});
