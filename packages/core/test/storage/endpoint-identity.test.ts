import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keepEndpoint, newIdentity, readKeptEndpoint } from "../../src/storage/endpoint-identity.ts";
import { createPrivateStorage, type PrivateStorage } from "../../src/storage/private-storage.ts";
import { makeTemporaryMachine } from "./temporary-machine.ts";

describe("the endpoint of the last run", () => {
  it("is read as it was kept", async () => {
    const { platform, logger, home } = makeTemporaryMachine();
    const storage = createPrivateStorage({ platform, logger, directory: `${home}/storage` });
    expect(await readKeptEndpoint(storage)).toBeUndefined();
    const identity = newIdentity(platform.random);
    await keepEndpoint(storage, { port: 41_234, identity });
    expect(await readKeptEndpoint(storage)).toEqual({ port: 41_234, identity });
    expect(Buffer.from(identity.secret, "base64url")).toHaveLength(32);
    expect(new Set([identity, newIdentity(platform.random)].flatMap((one) => Object.values(one))).size).toBe(4);
  });

  it("is none where nothing can be kept", async () => {
    const { platform } = makeTemporaryMachine();
    await keepEndpoint(undefined, { port: 1, identity: newIdentity(platform.random) });
    expect(await readKeptEndpoint(undefined)).toBeUndefined();
  });

  it("is none where what was kept cannot be read or is malformed", async () => {
    const { platform } = makeTemporaryMachine();
    const storing = (read: () => Promise<string | undefined>): PrivateStorage => ({
      read,
      write: async () => {},
      remove: async () => {},
      list: async () => [],
      claim: async () => true,
      release: async () => {},
      locate: async () => undefined,
    });
    expect(await readKeptEndpoint(storing(() => Promise.reject(new Error("EIO"))))).toBeUndefined();
    const secret = platform.random.token(32);
    const sound = { port: 1, secret, sessionKey: secret };
    const read = async (value: unknown): ReturnType<typeof readKeptEndpoint> =>
      await readKeptEndpoint(storing(async () => JSON.stringify(value)));
    expect(await read(sound)).toBeDefined();
    const malformed = [
      { ...sound, secret: secret.slice(1) },
      { ...sound, sessionKey: `${secret.slice(1)}=` },
      { ...sound, port: 0 },
      { ...sound, port: 65_536 },
      { ...sound, port: 1.5 },
      { port: 1, secret },
    ];
    for (const each of malformed) expect(await read(each)).toBeUndefined();
    const value = fc.record(
      {
        port: fc.oneof(fc.integer(), fc.jsonValue()),
        secret: fc.oneof(fc.constant(secret), fc.jsonValue()),
        sessionKey: fc.oneof(fc.constant(secret), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.json(),
          value.map((kept) => JSON.stringify(kept)),
        ),
        async (text) => {
          const kept = await readKeptEndpoint(storing(async () => text));
          if (kept === undefined) return;
          expect(kept.identity).toEqual({ secret, sessionKey: secret });
          expect(Number.isInteger(kept.port) && kept.port > 0 && kept.port <= 65_535).toBe(true);
        },
      ),
    );
  });
});
