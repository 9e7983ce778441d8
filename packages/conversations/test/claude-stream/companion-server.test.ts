import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { EditorView } from "../../src/driver.ts";
import { answerCompanion } from "../../src/claude-stream/companion-server.ts";
import { LabHost, startClaude } from "./claude-lab.ts";

const message = (method: string, params?: Readonly<Record<string, unknown>>) => ({
  server_name: "companion",
  message: { id: 7, method, ...(params === undefined ? {} : { params }) },
});

class ViewHost extends LabHost {
  readonly shown: unknown[] = [];
  readonly view: EditorView = {
    openFiles: async () =>
      await Promise.resolve([
        { path: "/project/a.ts", isActive: true, isDirty: false },
        { path: "/project/.env", isActive: false, isDirty: false },
      ]),
    selection: async () =>
      await Promise.resolve({ path: "/project/.env", lines: { start: 1, end: 1 }, text: "SECRET" }),
    openFile: async (path, line) => {
      this.shown.push([path, line]);
      return await Promise.resolve(true);
    },
  };
}

async function call(host: LabHost, name: string, input: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  const answer = await answerCompanion(message("tools/call", { name, arguments: input }), host, "/project");
  return answer["result"];
}

describe("our own tools in a session", () => {
  it("are listed as tools that only read", async () => {
    const answer = await answerCompanion(message("tools/list"), new LabHost(new Map()), "/project");
    expect(answer).toMatchObject({
      jsonrpc: "2.0",
      id: 7,
      result: {
        tools: ["getDiagnostics", "getOpenEditors", "getSelection", "openFile"].map((name) => ({
          name,
          annotations: { readOnlyHint: true },
        })),
      },
    });
  });

  it("tell problems, and show files", async () => {
    const host = new ViewHost(new Map());
    host.known.set(join("/project", "a.ts"), [{ line: 1, severity: "error", message: "no" }]);
    expect(await call(host, "getDiagnostics", { path: "a.ts" })).toEqual({
      content: [{ type: "text", text: `[{"line":1,"severity":"error","message":"no"}]` }],
    });
    await call(host, "openFile", { path: "/project/a.ts", line: 3 });
    expect(host.shown).toEqual([["/project/a.ts", 3]]);
  });

  it("show nothing outside the workspace: nobody is asked", async () => {
    const host = new ViewHost(new Map());
    expect(await call(host, "openFile", { path: "/elsewhere/a.ts" })).toMatchObject({ isError: true });
    expect(await call(host, "getDiagnostics", { path: "/elsewhere/a.ts" })).toMatchObject({ isError: true });
    expect(host.shown).toEqual([]);
  });

  it("tell nothing of files that are not shared", async () => {
    const host = new ViewHost(new Map());
    host.hidden.add("/project/.env");
    host.hidden.add(join("/project", ".env"));
    const said = [
      await call(host, "getOpenEditors"),
      await call(host, "getSelection"),
      await call(host, "getDiagnostics", { path: ".env" }),
      await call(host, "openFile", { path: "/project/.env" }),
    ];
    expect(JSON.stringify(said)).not.toContain("SECRET");
    expect(said[0]).toEqual({
      content: [{ type: "text", text: `[{"path":"/project/a.ts","isActive":true,"isDirty":false}]` }],
    });
    expect(said.slice(2)).toMatchObject([{ isError: true }, { isError: true }]);
    expect(host.shown).toEqual([]);
  });

  it("refuse what they do not know", async () => {
    const host = new LabHost(new Map());
    expect(await answerCompanion(message("resources/list"), host, "/project")).toMatchObject({
      error: { code: -32_601 },
    });
    expect(await call(host, "executeCode")).toMatchObject({ isError: true });
    expect(await call(host, "getDiagnostics")).toMatchObject({ isError: true });
  });

  it("are used without a question, others of that name are asked for", async () => {
    const lab = await startClaude();
    lab.claude.play(async (turn) => {
      await turn.uses("mcp__companion__getDiagnostics", { path: "/project/a.ts" });
      await turn.uses("mcp__companion__executeCode", {});
    });
    const prompted = lab.say("look");
    const { question, id } = await lab.question();
    expect(question).toMatchObject({ title: "mcp__companion__executeCode" });
    lab.session.answer(id, { type: "reject" });
    await prompted;
    expect(lab.questions).toHaveLength(1);
  });
});
