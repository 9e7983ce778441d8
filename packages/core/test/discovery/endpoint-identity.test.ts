import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadEndpointIdentity } from "../../src/discovery/endpoint-identity.ts";
import { createPrivateStorage, type PrivateStorage } from "../../src/discovery/private-storage.ts";
import { makeTemporaryMachine } from "./temporary-machine.ts";

describe("the endpoint's identity", () => {
  it("comes back after a restart, with the port that was saved", async () => {
    const { platform, logger, home } = makeTemporaryMachine();
    const storage = createPrivateStorage({ platform, logger, directory: `${home}/storage` });
    const first = await loadEndpointIdentity(storage, platform.random);
    expect(first.port).toBe(0);
    await first.savePort(41_234);
    const second = await loadEndpointIdentity(storage, platform.random);
    expect(second).toMatchObject({ port: 41_234, token: first.token, sessionKey: first.sessionKey });
    expect(Buffer.from(first.token, "base64url")).toHaveLength(32);
    expect(first.token).not.toBe(first.sessionKey);
  });

  it("is a new one each time where nothing can be kept", async () => {
    const { platform } = makeTemporaryMachine();
    const [one, two] = [
      await loadEndpointIdentity(undefined, platform.random),
      await loadEndpointIdentity(undefined, platform.random),
    ];
    await one.savePort(1);
    expect(one.token).not.toBe(two.token);
  });

  it("is a new one where what was kept cannot be read or is malformed", async () => {
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
    const failing = storing(() => Promise.reject(new Error("EIO")));
    expect((await loadEndpointIdentity(failing, platform.random)).port).toBe(0);
    const secret = platform.random.token(32);
    const sound = { port: 1, token: secret, sessionKey: secret };
    const malformed = [
      { ...sound, token: secret.slice(1) },
      { ...sound, sessionKey: `${secret.slice(1)}=` },
      { ...sound, port: 65_536 },
      { ...sound, port: 1.5 },
      { port: 1, token: secret },
    ];
    for (const each of malformed) {
      const kept = storing(async () => JSON.stringify(each));
      const identity = await loadEndpointIdentity(kept, platform.random);
      expect(identity.port).toBe(0);
      expect([identity.token, identity.sessionKey]).not.toContain(secret);
    }
    const value = fc.record(
      {
        port: fc.oneof(fc.integer(), fc.jsonValue()),
        token: fc.oneof(fc.constant(secret), fc.jsonValue()),
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
          const identity = await loadEndpointIdentity(
            storing(async () => text),
            platform.random,
          );
          expect(identity.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
          expect(identity.sessionKey).toMatch(/^[A-Za-z0-9_-]{43}$/);
          expect(Number.isInteger(identity.port) && identity.port >= 0 && identity.port <= 65_535).toBe(true);
          if (identity.token !== secret) expect(identity.port).toBe(0);
        },
      ),
    );
  });
});
