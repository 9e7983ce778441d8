import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CodexService, type CodexServiceOptions, createFakeClock, createTestPlatform } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { codexService } from "../../src/agents/codex/own-service.ts";
import type { ServiceDesk } from "../../src/agents/service.ts";
import { ServiceLink } from "../../src/companion/service-links.ts";
import { nullLogger } from "../../src/support/logger.ts";

const desk: ServiceDesk = {
  isOurs: async () => false,
  tell: () => {},
  askAboutPatch: async () => ({ kind: "leave" }),
  askAboutCommand: async () => ({ kind: "leave" }),
};

/** Somebody who uses Codex CLI, on a clock that stands still. */
function createLinkLab() {
  const clock = createFakeClock(Date.now());
  const platform = createTestPlatform({ clock });
  onTestFinished(() => platform.dispose());
  const home = join(platform.home, ".codex");
  mkdirSync(home);
  const begin = async (options: Partial<CodexServiceOptions> = {}): Promise<CodexService> => {
    const service = new CodexService({ home, temporaryDirectory: platform.tmp, ...options });
    await service.listen();
    onTestFinished(() => service.kill());
    return service;
  };
  const open = (): void => {
    const link = new ServiceLink({
      platform,
      logger: nullLogger,
      dialect: { id: "codex", agentName: "Codex CLI" },
      service: codexService,
      version: "1.0.0",
      desk: async () => desk,
    });
    onTestFinished(() => link.close());
    link.open();
  };
  const hasLooked = (): Promise<void> => expect.poll(() => clock.pending).toBe(1);
  /** Time passes, look by look, until somebody has joined it. */
  const isJoined = async (service: CodexService): Promise<void> => {
    for (let looks = 0; looks < 10 && service.clients === 0; looks += 1) {
      clock.advance(2_000);
      await expect.poll(() => service.clients + clock.pending).toBeGreaterThan(0);
    }
    await expect.poll(() => service.asked).toContain("thread/loaded/list");
  };
  return { clock, begin, open, hasLooked, isJoined };
}

describe.skipIf(process.platform === "win32")("the tie to an agent's service", () => {
  it("is there at once with a new service, however long the one before was dead", async () => {
    const { clock, begin, open, hasLooked } = createLinkLab();
    await (await begin()).kill();
    open();
    for (let looks = 0; looks < 20; looks += 1) {
      await hasLooked();
      clock.advance(2_000);
    }
    await hasLooked();
    const service = await begin();
    clock.advance(2_000);
    await expect.poll(() => service.clients).toBe(1);
    await expect.poll(() => service.asked).toContain("thread/loaded/list");
  });

  it("leaves it to the terminal that has started the service to be its first client", async () => {
    const { clock, begin, open, hasLooked } = createLinkLab();
    open();
    await hasLooked();
    const service = await begin({ since: new Date(clock.now() + 1_000) });
    clock.advance(2_000);
    await hasLooked();
    expect(service.clients).toBe(0);
    clock.advance(2_000);
    await expect.poll(() => service.clients).toBe(1);
  });

  it("does the same for the next one, which leaves the link as it is", async () => {
    const { clock, begin, open, hasLooked } = createLinkLab();
    const first = await begin();
    open();
    await expect.poll(() => first.clients).toBe(1);
    await first.kill();
    await hasLooked();
    const next = await begin({ keepsLink: true, since: new Date(clock.now() + 1_000) });
    clock.advance(2_000);
    await hasLooked();
    expect(next.clients).toBe(0);
    clock.advance(2_000);
    await expect.poll(() => next.clients).toBe(1);
  });

  it("is there with each of many services that end and begin at one place", async () => {
    const { begin, open, isJoined } = createLinkLab();
    open();
    for (let count = 0; count < 6; count += 1) {
      const service = await begin({ keepsLink: count % 2 === 1 });
      await isJoined(service);
      await service.kill();
      // One that nobody has joined.
      await (await begin()).kill();
    }
  });

  it("is there again where the directory was taken away and made anew", async () => {
    const { begin, open, isJoined, hasLooked, clock } = createLinkLab();
    open();
    for (let count = 0; count < 3; count += 1) {
      const service = await begin();
      await isJoined(service);
      rmSync(dirname(service.link), { recursive: true });
      await service.kill();
      await hasLooked();
      clock.advance(2_000);
      await hasLooked();
    }
  });

  it("is not held up by what stands in its place and is no service", async () => {
    const { begin, open, isJoined, hasLooked, clock } = createLinkLab();
    const killed = await begin();
    await killed.kill();
    open();
    for (const stand of [(): void => {}, (): void => rmSync(killed.link), (): void => writeFileSync(killed.link, "")]) {
      stand();
      await hasLooked();
      clock.advance(2_000);
      await hasLooked();
    }
    await isJoined(await begin());
  });

  it("is not kept to one that answers nothing", async () => {
    const { begin, open, isJoined, clock, hasLooked } = createLinkLab();
    const silent = await begin({ isSilent: true });
    open();
    await expect.poll(() => silent.asked).toEqual(["initialize"]);
    clock.advance(10_000);
    await expect.poll(() => silent.clients).toBe(0);
    await hasLooked();
    await silent.kill();
    await isJoined(await begin());
  });
});
