import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createNodePlatform } from "../../src/platform/node.ts";

describe("this machine", () => {
  it("makes random tokens and authentication codes as base64url", () => {
    const { random } = createNodePlatform();
    expect(random.token(32)).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(random.token(32)).not.toBe(random.token(32));
    const many = Array.from({ length: 500 }, (_none, index) => random.token(9 + (index % 7)));
    expect(new Set(many).size).toBe(many.length);
    for (const [index, token] of many.entries()) expect(Buffer.from(token, "base64url")).toHaveLength(9 + (index % 7));
    expect(Buffer.from(random.token(5_000), "base64url")).toHaveLength(5_000);
    expect(random.mac("key", "text")).toBe(createHmac("sha256", "key").update("text").digest("base64url"));
  });

  it("calls back once after a while, or not at all once disposed", async () => {
    const { clock } = createNodePlatform();
    const calls: string[] = [];
    const cancelled = clock.setTimeout(() => calls.push("cancelled"), 0);
    cancelled.dispose();
    cancelled.dispose();
    const before = clock.monotonic();
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 5));
    expect(clock.monotonic() - before).toBeGreaterThanOrEqual(4);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
    expect(calls).toEqual([]);
  });

  it("keeps no process alive and loads no child processes at start", () => {
    const script = `
      import { createNodePlatform } from ${JSON.stringify(import.meta.resolve("../../src/platform/node.ts"))};
      const { clock, process: facts } = createNodePlatform();
      facts.isAlive(1);
      clock.setTimeout(() => console.log("too late"), 60_000);
      console.log(process.moduleLoadList.includes("NativeModule child_process"));
    `;
    const options = { encoding: "utf8", timeout: 20_000 } as const;
    expect(execFileSync(process.execPath, ["--input-type=module", "-e", script], options)).toBe("false\n");
  });
});
