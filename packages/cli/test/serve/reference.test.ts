import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { agentOf } from "@patchbay/core";
import { LineReader } from "@patchbay/core/json-input";
import { runHook } from "@patchbay/core/hook";
import {
  type AgentDriverOptions,
  createClaudeDriver,
  createCopilotDriver,
  createGeminiDriver,
  createTestPlatform,
  type TestPlatform,
} from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseCommandLine } from "../../src/command-line.ts";
import { serveAsJson } from "../../src/serve/serve-as-json.ts";

const reference = readFileSync(new URL("../../../../docs/serve-json.md", import.meta.url), "utf8");

type Shape =
  | { readonly kind: "string" | "number" | "boolean" }
  | { readonly kind: "exactly"; readonly value: unknown }
  | { readonly kind: "list" | "map"; readonly of: Shape }
  | { readonly kind: "one-of"; readonly shapes: readonly Shape[] }
  | { readonly kind: "object"; readonly fields: ReadonlyMap<string, Field> };

interface Field {
  readonly isOptional: boolean;
  readonly shape: Shape;
}

/** Reads the types of the reference: as much of TypeScript as stands there, and anything else is an error. */
class TypeReader {
  readonly #tokens: readonly string[];
  readonly #names: Map<string, Shape> = new Map();
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.match(/"[^"]*"|\w+|\S/gu) ?? [];
    // Names may stand before what they stand for: the last ones are read first.
    const starts = this.#tokens.flatMap((token, index) => (token === "type" ? [index] : []));
    for (const start of starts.toReversed()) {
      this.#at = start + 1;
      const name = this.#next();
      this.#take("=");
      this.#names.set(name, this.#oneOf());
    }
  }

  named(name: string): Shape {
    const shape = this.#names.get(name);
    if (shape === undefined) throw new Error(`The reference does not say what ${name} is.`);
    return shape;
  }

  #next(): string {
    this.#at += 1;
    return this.#tokens[this.#at - 1] ?? "";
  }

  #is(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }

  #take(token: string): void {
    const found = this.#next();
    if (found !== token) throw new Error(`The reference has ${found} where ${token} belongs.`);
  }

  #oneOf(): Shape {
    this.#is("|");
    const shapes = [this.#one()];
    while (this.#is("|")) shapes.push(this.#one());
    const [only] = shapes;
    return shapes.length === 1 && only !== undefined ? only : { kind: "one-of", shapes };
  }

  #one(): Shape {
    let shape = this.#plain();
    while (this.#is("[")) {
      this.#take("]");
      shape = { kind: "list", of: shape };
    }
    return shape;
  }

  #plain(): Shape {
    const token = this.#next();
    if (token === "{") return this.#fields();
    if (token === "string" || token === "number" || token === "boolean") return { kind: token };
    if (/^["\d]/u.test(token)) return { kind: "exactly", value: JSON.parse(token) };
    return this.named(token);
  }

  #fields(): Shape {
    if (this.#is("[")) {
      this.#next();
      for (const token of [":", "string", "]", ":"]) this.#take(token);
      const of = this.#oneOf();
      this.#take("}");
      return { kind: "map", of };
    }
    const fields = new Map<string, Field>();
    while (!this.#is("}")) {
      const name = this.#next();
      const isOptional = this.#is("?");
      this.#take(":");
      fields.set(name, { isOptional, shape: this.#oneOf() });
      this.#is(";");
    }
    return { kind: "object", fields };
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What does not fit, by place; fields that were there are added to those that occurred. */
function misfits(value: unknown, shape: Shape, place: string, occurred: Set<string>): readonly string[] {
  switch (shape.kind) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === shape.kind ? [] : [`${place} is no ${shape.kind}`];
    case "exactly":
      return value === shape.value ? [] : [`${place} is not ${JSON.stringify(shape.value)}`];
    case "one-of": {
      const tried = shape.shapes.map((one) => misfits(value, one, place, occurred));
      return tried.some((wrong) => wrong.length === 0) ? [] : [`${place} is none of what is documented`];
    }
    case "list":
      if (!Array.isArray(value)) return [`${place} is no list`];
      return value.flatMap((one) => misfits(one, shape.of, `${place}[]`, occurred));
    case "map":
      if (!isRecord(value)) return [`${place} is no object`];
      return Object.values(value).flatMap((one) => misfits(one, shape.of, `${place}.*`, occurred));
    case "object": {
      if (!isRecord(value)) return [`${place} is no object`];
      const unknown = Object.keys(value).filter((name) => !shape.fields.has(name));
      const wrong = Array.from(shape.fields, ([name, { isOptional, shape: field }]) => {
        const there = `${place}.${name}`;
        if (!(name in value)) return isOptional ? [] : [`${there} is missing`];
        occurred.add(there);
        return misfits(value[name], field, there, occurred);
      });
      return [...unknown.map((name) => `${place}.${name} is not documented`), ...wrong.flat()];
    }
  }
}

/** Every field that a shape may have, by place. */
function placesIn(shape: Shape, place: string): readonly string[] {
  if (shape.kind === "list") return placesIn(shape.of, `${place}[]`);
  if (shape.kind !== "object") return [];
  return Array.from(shape.fields).flatMap(([name, { shape: field }]) => [
    `${place}.${name}`,
    ...placesIn(field, `${place}.${name}`),
  ]);
}

const types = new TypeReader(/```ts\n(.*?)```/su.exec(reference)?.[1] ?? "");
const eventShape = types.named("Event");

/** By the name of the event. */
const documented = new Map(
  (eventShape.kind === "one-of" ? eventShape.shapes : []).map((shape) => {
    const name = shape.kind === "object" ? shape.fields.get("event")?.shape : undefined;
    return [name?.kind === "exactly" ? String(name.value) : "", shape] as const;
  }),
);

let platform: TestPlatform;
let input: PassThrough;
let heard: Record<string, unknown>[];
let running: Promise<void>;

beforeEach(() => {
  platform = createTestPlatform();
  writeFileSync(join(platform.workspace, "a.txt"), "one\ntwo\nthree\n");
  writeFileSync(join(platform.workspace, ".patchbay.json"), '{"reviews":{"commands":{"*":"ask"}}}');
  [input, heard] = [new PassThrough(), []];
  const output = new PassThrough();
  const lines = new LineReader({ onLine: (line) => heard.push(JSON.parse(line)) });
  output.on("data", (chunk) => lines.push(chunk));
  const command = parseCommandLine(["serve", platform.workspace, "--json", "--problems"], "/");
  if (command.kind !== "serve") throw new Error("this is no command of serve");
  const { signal } = new AbortController();
  running = serveAsJson({ command, folder: platform.workspace, platform, signal, input, output });
});

afterEach(async () => {
  input.end();
  await running;
  platform.dispose();
});

const told = (name: string): readonly Record<string, unknown>[] => heard.filter(({ event }) => event === name);

async function next(name: string, count = 1): Promise<Record<string, unknown>> {
  await expect.poll(() => told(name).length, { timeout: 10_000 }).toBeGreaterThanOrEqual(count);
  return told(name)[count - 1] ?? {};
}

const tell = (command: unknown): void => void input.write(`${JSON.stringify(command)}\n`);

/** Everything once: reviews with edits and changes of the file, questions, commands, kept texts that can be saved and not. */
async function goThroughAll(): Promise<void> {
  await next("listening");
  const where = { cwd: platform.workspace, home: platform.home, temporaryDirectory: platform.tmp };
  const path = join(platform.workspace, "a.txt");
  const gemini = createGeminiDriver(where);
  await gemini.connect();
  tell({ command: "open", file: "a.txt" });
  await gemini.until("the file", ({ view }) => view?.active === path);
  gemini.propose({ path, text: "ONE\ntwo\nthree\n" });
  const { id } = await next("proposal");
  writeFileSync(path, "one\ntwo\nTHREE\n");
  expect(await next("changed")).toMatchObject({ id, by: "file", standing: "merged" });
  const text = "mine\ntwo\nTHREE\n";
  tell({ command: "edit", id, text, request: 1 });
  expect(await next("changed", 2)).toMatchObject({ id, by: "edit", text, original: "one\ntwo\nTHREE\n" });
  await next("done");
  tell({ command: "edit", id, text, request: "again" });
  await next("done", 2);
  expect(told("changed")).toHaveLength(2);
  tell({ command: "reject", id, reason: "Keep the first line." });
  await next("ended");
  await next("reason");
  await gemini.end();
  // One that ends without having written what was accepted.
  const forgetful = createClaudeDriver({ ...where, writesFile: false });
  await forgetful.connect();
  const unwritten = "FORGOTTEN\ntwo\nTHREE\n";
  const accepted = forgetful.propose({ path, text: unwritten });
  const { id: forgotten } = await next("proposal", 2);
  tell({ command: "accept", id: forgotten });
  await accepted.outcome;
  await forgetful.end();
  expect(await next("not-written")).toMatchObject({ path });
  // Once it is in the file it is kept no longer.
  for (const now of [unwritten, "one\ntwo\nTHREE\n"]) {
    writeFileSync(path, now);
    await expect.poll(() => told("kept").at(-1), { timeout: 10_000 }).toMatchObject({ texts: [] });
  }
  const event = JSON.stringify({
    session_id: "s1",
    cwd: platform.workspace,
    hook_event_name: "PreToolUse",
    permission_mode: "bypassPermissions",
    tool_name: "Bash",
    tool_input: { command: "npm test" },
  });
  const asked = runHook({ platform, dialect: agentOf("claude"), event, cwd: platform.workspace, limitMs: 50_000 });
  const { commands } = await next("commands");
  const [waiting]: readonly unknown[] = Array.isArray(commands) ? commands : [];
  tell({ command: "allow-command", id: isRecord(waiting) ? waiting["id"] : "" });
  await asked;
  await next("withdrawn");
  for (const [index, draft] of ["MINE\ntwo\nTHREE\n", "other\ntwo\nTHREE\n"].entries()) {
    const claude = createClaudeDriver(where);
    await claude.connect();
    claude.propose({ path, text: "1\ntwo\nTHREE\n" });
    const { id: kept } = await next("proposal", index + 3);
    tell({ command: "edit", id: kept, text: draft });
    await claude.end();
    await expect.poll(() => told("kept").at(-1)).toMatchObject({ texts: [{ id: kept }] });
    tell({ command: "read-kept", id: kept });
    await next("kept-text", index + 1);
    // The second time it is a directory that is in the way.
    if (index === 1) makeUnwritable(path);
    tell({ command: "save-kept", id: kept });
    expect(await next("saved", index + 1)).toMatchObject({ kind: index === 0 ? "saved" : "failed" });
  }
  tell({ command: "fly", request: "none" });
  await next("error");
  await goOnWithReader(where);
}

/** An agent that writes its own text: what is typed for it is refused, and nothing is said to be accepted that is not written. */
async function goOnWithReader(where: AgentDriverOptions): Promise<void> {
  const path = join(platform.workspace, "b.txt");
  const copilot = createCopilotDriver(where);
  await copilot.connect();
  await copilot.callTool("update_session_name", { name: "A new file" });
  const proposal = copilot.propose({ path, text: "new\n" });
  const { id, readOnly } = await next("proposal", told("proposal").length + 1);
  expect(readOnly).toBe(true);
  for (const command of ["accept", "edit"]) {
    tell({ command, id, text: "mine\n", request: command });
    const refused = { request: command, message: expect.stringMatching(/^Copilot CLI takes no edited text/u) };
    await expect.poll(() => told("error")).toContainEqual(expect.objectContaining(refused));
  }
  tell({ command: "accept", id });
  expect(await proposal.outcome).toMatchObject({ kind: "accepted", written: "new\n" });
  await copilot.end();
}

/** In the place of the file there is a directory. */
function makeUnwritable(path: string): void {
  rmSync(path);
  mkdirSync(path);
}

describe("the reference of serve --json", () => {
  it("has every event that is told, with its fields as they are, and no field that none has", async () => {
    await goThroughAll();
    const occurred = new Set<string>();
    const wrong = heard.flatMap((event) => {
      const name = String(event["event"]);
      const shape = documented.get(name);
      return shape === undefined ? [`${name} is not documented`] : misfits(event, shape, name, occurred);
    });
    expect(Array.from(new Set(wrong))).toEqual([]);
    const all = Array.from(documented).flatMap(([name, shape]) => placesIn(shape, name));
    expect(all.filter((place) => !occurred.has(place))).toEqual([]);
    expect(Array.from(documented.keys()).filter((name) => !reference.includes(`\`${name}\``))).toEqual([]);
  });

  it("shows every command with every field that is taken, and none that is not", async () => {
    await next("listening");
    const shown = reference.split("\n").filter((line) => line.startsWith('{"command"') && !line.includes('"quit"'));
    const commands = new Map<string, Record<string, unknown>[]>();
    for (const line of shown) {
      const fields: Record<string, unknown> = JSON.parse(line);
      const name = String(fields["command"]);
      commands.set(name, [...(commands.get(name) ?? []), fields]);
    }
    // No field takes `true`: what is refused for it is a field of that command.
    const source = readFileSync(new URL("../../src/serve/serve-as-json.ts", import.meta.url), "utf8");
    const words = new Set(Array.from(source.matchAll(/\b([a-z]\w*)[:,]/giu), ([, word = ""]) => word));
    for (const word of ["command", "request"]) words.delete(word);
    for (const [name, lines] of commands) {
      for (const word of words) tell({ ...lines[0], [word]: true, request: `${name} ${word}` });
    }
    tell({ command: "fly", request: "last" });
    await expect.poll(() => told("error")).toContainEqual(expect.objectContaining({ request: "last" }));
    const taken = told("error").flatMap(({ request, message }) => {
      const [, field] = /^Invalid command: its "(\w+)" is missing/u.exec(String(message)) ?? [];
      return field === undefined ? [] : [String(request)];
    });
    const documented = Array.from(commands, ([name, lines]) =>
      lines.flatMap((fields) =>
        Object.keys(fields).flatMap((field) => (field === "command" ? [] : [`${name} ${field}`])),
      ),
    );
    expect(taken.toSorted()).toEqual(Array.from(new Set(documented.flat())).toSorted());
  });
});
