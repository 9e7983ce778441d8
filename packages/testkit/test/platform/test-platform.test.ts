import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createFakeClock, createFakeRandom, createTestPlatform } from "../../src/index.ts";

describe("the test platform", () => {
  it("redirects home and temporary directory into a folder that dispose removes", async () => {
    const platform = createTestPlatform({ environment: { QWEN_HOME: "/q" }, clock: createFakeClock(7) });
    expect(platform.process.homeDirectory).toBe(platform.home);
    expect(platform.process.temporaryDirectory).toBe(platform.tmp);
    expect(platform.process.environment("QWEN_HOME")).toBe("/q");
    expect(platform.process.environment("PATH")).toBeUndefined();
    expect(platform.clock.now()).toBe(7);
    await platform.files.createExclusive(`${platform.home}/a`, "x", 0o600);
    expect(await platform.files.lstat(`${platform.home}/a`)).toMatchObject({
      mode: 0o600,
      uid: process.getuid?.() ?? -1,
    });
    platform.dispose();
    platform.dispose();
    expect(existsSync(platform.root)).toBe(false);
  });
});

describe("fake random texts", () => {
  it("are the same for one seed, long as asked for, and never repeat", () => {
    const one = createFakeRandom("a");
    const two = createFakeRandom("a");
    const tokens = [one.token(32), one.token(32)];
    expect(tokens).toEqual([two.token(32), two.token(32)]);
    expect(tokens[0]).not.toBe(tokens[1]);
    expect(Buffer.from(one.token(48), "base64url")).toHaveLength(48);
    expect(one.mac("k", "t")).not.toBe(one.mac("k2", "t"));
  });
});
