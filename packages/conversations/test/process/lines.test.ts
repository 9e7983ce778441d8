import { Buffer } from "node:buffer";
import { type LogFields, nullLogger } from "@patchbay/core";
import type { LineReader } from "@patchbay/core/json-input";
import { describe, expect, it } from "vitest";
import { ErrorTail, errorTailLimit, maskSecrets, readMessages } from "../../src/process/lines.ts";

function reader(limit?: number): { readonly read: LineReader; readonly heard: unknown[]; readonly logged: string[] } {
  const heard: unknown[] = [];
  const logged: string[] = [];
  const log = (message: string, fields?: LogFields): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const read = readMessages({ ...nullLogger, warn: log }, (message) => heard.push(message), limit);
  return { read, heard, logged };
}

describe("lines of an agent", () => {
  it("are cut at line feeds, however the bytes come", () => {
    const text = `{"a":"ä€😀"}\n\n{"b":2}\r\n{"c":[3]}\n`;
    for (const size of [1, 2, 3, 7, 1_000]) {
      const { read, heard, logged } = reader();
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += size) read.push(bytes.subarray(at, at + size));
      expect(heard).toEqual([{ a: "ä€😀" }, { b: 2 }, { c: [3] }]);
      expect(logged).toEqual([]);
    }
  });

  it("may end without a line feed", () => {
    const { read, heard } = reader();
    read.push(Buffer.from(`{"a":1}\n{"b":2}`));
    expect(heard).toEqual([{ a: 1 }]);
    read.end();
    expect(heard).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it("that are no JSON are skipped, and the log does not repeat them", () => {
    const { read, heard, logged } = reader();
    read.push(Buffer.from(`Welcome, token abc!\n{"a":1}\n{"a":\n{"b":2}\n`));
    expect(heard).toEqual([{ a: 1 }, { b: 2 }]);
    expect(logged).toEqual([
      `A line of an agent was no JSON and was skipped {"bytes":19}`,
      `A line of an agent was no JSON and was skipped {"bytes":5}`,
    ]);
  });

  it("that are too long are skipped to their end, and what follows is read", () => {
    const { read, heard, logged } = reader(10);
    read.push(Buffer.from(`{"a":"123`));
    read.push(Buffer.from(`45"}`));
    read.push(Buffer.from(`{"x":1}\n{"b":2}\n`));
    read.push(Buffer.from(`{"c":3}\n"12345678"\n"123456789"\n`));
    expect(heard).toEqual([{ b: 2 }, { c: 3 }, "12345678"]);
    expect(logged).toEqual([
      `A line of an agent was too long and was skipped {"bytes":20}`,
      `A line of an agent was too long and was skipped {"bytes":11}`,
    ]);
  });
});

describe("standard error of an agent", () => {
  it("is kept to its last 64 kB, whole lines only", () => {
    const tail = new ErrorTail({});
    for (let line = 0; line < 10_000; line += 1) tail.push(Buffer.from(`line ${line} of many\n`));
    const kept = tail.text();
    expect(kept.length).toBeLessThanOrEqual(errorTailLimit);
    expect(kept.length).toBeGreaterThan(errorTailLimit - 100);
    expect(kept.startsWith("line ")).toBe(true);
    expect(kept.endsWith("line 9999 of many")).toBe(true);
  });

  it("is told without the secrets of the environment", () => {
    const tail = new ErrorTail({ MY_API_KEY: "correct horse battery", HOME: "/home/somebody", SHORT_TOKEN: "abc" });
    tail.push(Buffer.from("using correct horse "));
    tail.push(Buffer.from("battery in /home/somebody, abc\n"));
    expect(tail.text()).toBe("using *** in /home/somebody, abc");
  });

  it("is told without colours, which could stand in a secret", () => {
    const tail = new ErrorTail({ MY_API_KEY: "correct-horse-battery" });
    tail.push(
      Buffer.from("\u001B[31mred\u001B[0m \u001B]0;title\u0007correct-\u001B[1mhorse-battery\r\n\tnext\u0008\n"),
    );
    expect(tail.text()).toBe("red ***\n\tnext");
  });

  it.each([
    ["key sk-ant-api03-abcdefghijklmnop-1234 used", "key *** used"],
    ["Authorization: Bearer abcdefgh12345678", "Authorization: Bearer ***"],
    ["https://user:hunter22@example.org/a", "https://user:***@example.org/a"],
    [`{"apiKey": "abcdefgh12345678", "n": 1}`, `{"apiKey": "***", "n": 1}`],
    ["nothing secret here", "nothing secret here"],
  ])("is told without what looks like a secret: %s", (text, expected) => {
    expect(maskSecrets(text)).toBe(expected);
  });
});
