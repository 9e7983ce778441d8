import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createHostInWindow, type HostInWindow } from "../controls.ts";
import { Uri } from "../fake-vscode/uri.ts";
import { Range } from "../fake-vscode/ranges.ts";
import { DiagnosticSeverity } from "../fake-vscode/values.ts";

let window: HostInWindow;
let path: string;

beforeEach(async () => {
  window = createHostInWindow();
  path = join(window.folder, "one.txt");
  writeFileSync(path, "one\n");
  await window.bench.showFile(Uri.file(path));
});

afterEach(() => window.dispose());

function problem(message: string): object {
  return {
    message,
    severity: DiagnosticSeverity.Error,
    range: new Range(0, 0, 0, 3),
    source: "test",
    code: { value: 17 },
  };
}

async function read(file: string | undefined): Promise<readonly string[]> {
  const found = await window.host.diagnostics?.read(file, new AbortController().signal);
  return (found ?? []).flatMap(({ diagnostics }) => diagnostics.map(({ message }) => message));
}

/** What an agent's write and a language server do after it, each in its own time. */
function writeByAgent(text: string, message: string): void {
  writeFileSync(path, text);
  setTimeout(() => {
    window.bench.noteDisk(path);
    setTimeout(() => window.bench.setDiagnostics(Uri.file(path), [problem(message)]), 60);
  }, 60);
}

/** From now on no time passes: whoever waits for some waits for ever. */
function stopClocks(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
}

describe("diagnostics", () => {
  it("are told with all that VS Code knows", async () => {
    window.bench.setDiagnostics(Uri.file(path), [problem("broken")]);
    const found = await window.host.diagnostics?.read(path, new AbortController().signal);
    expect(found).toEqual([
      {
        path,
        diagnostics: [
          {
            message: "broken",
            severity: "Error",
            range: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } },
            source: "test",
            code: "17",
          },
        ],
      },
    ]);
  });

  it.each(["the file", "everything"])("of %s are those after the agent's write, not before", async (what) => {
    window.bench.serverLanguages = ["plaintext"];
    window.bench.setDiagnostics(Uri.file(path), [problem("before")]);
    expect(await read(path)).toEqual(["before"]);
    writeByAgent("two\n", "after");
    expect(await read(what === "the file" ? path : undefined)).toEqual(["after"]);
  });

  it("are not waited for where nothing publishes any", async () => {
    await read(path);
    writeFileSync(path, "two\n");
    window.bench.noteDisk(path);
    stopClocks();
    expect(await read(path)).toEqual([]);
  });

  it("of a file in no tab are waited for only where some were published before", async () => {
    window.bench.serverLanguages = ["plaintext"];
    const other = join(window.folder, "two.txt");
    writeFileSync(other, "one\n");
    await window.bench.openDocument(Uri.file(other));
    await read(undefined);
    writeFileSync(other, "two\n");
    window.bench.noteDisk(other);
    stopClocks();
    expect(await read(undefined)).toEqual([]);
    vi.useRealTimers();
    window.bench.setDiagnostics(Uri.file(other), [problem("before")]);
    writeFileSync(other, "three\n");
    window.bench.noteDisk(other);
    setTimeout(() => window.bench.setDiagnostics(Uri.file(other), [problem("after")]), 60);
    expect(await read(undefined)).toEqual(["after"]);
  });

  it("end with the agent's patience", async () => {
    window.bench.serverLanguages = ["plaintext"];
    await read(path);
    writeFileSync(path, "two\n");
    window.bench.noteDisk(path);
    stopClocks();
    const patience = new AbortController();
    const answer = window.host.diagnostics?.read(path, patience.signal);
    patience.abort();
    expect(await answer).toEqual([]);
  });

  it("of a file that is not open are what is known when the agent's patience ends before VS Code has opened it", async () => {
    const other = join(window.folder, "two.txt");
    window.bench.setDiagnostics(Uri.file(other), [problem("known")]);
    const asked = vi.spyOn(window.bench, "openDocument").mockReturnValue(new Promise(() => {}));
    onTestFinished(() => asked.mockRestore());
    const patience = new AbortController();
    const answer = window.host.diagnostics?.read(other, patience.signal);
    await expect.poll(() => asked).toHaveBeenCalled();
    patience.abort();
    expect((await answer)?.map(({ path: file, diagnostics }) => [file, diagnostics.length])).toEqual([[other, 1]]);
  });

  it.each(["a b", "[id]", "C#", "100%", "größe", "文"])("of a file in %s are found by its path", async (name) => {
    const odd = join(window.folder, name, "x.ts");
    window.bench.setDiagnostics(Uri.file(odd), [problem("broken")]);
    expect(await read(odd)).toEqual(["broken"]);
    const all = await window.host.diagnostics?.read(undefined, new AbortController().signal);
    expect(all?.map(({ path: file }) => file)).toEqual([odd]);
  });

  it("of what is not on disk are nobody's business", async () => {
    window.bench.setDiagnostics(Uri.from({ scheme: "patchbay-proposal", path: "/one.txt", query: "p1" }), [
      problem("in a proposal"),
    ]);
    expect(await read(undefined)).toEqual([]);
  });
});
