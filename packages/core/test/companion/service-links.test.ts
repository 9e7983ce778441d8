import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { CodexService, createFakeClock, createTestPlatform } from "@patchbay/testkit";
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
  const begin = async (since?: Date): Promise<CodexService> => {
    const place = { home, temporaryDirectory: platform.tmp };
    const service = new CodexService(since === undefined ? place : { ...place, since });
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
  return { clock, begin, open, hasLooked };
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
    const service = await begin(new Date(clock.now() + 1_000));
    clock.advance(2_000);
    await hasLooked();
    expect(service.clients).toBe(0);
    clock.advance(2_000);
    await expect.poll(() => service.clients).toBe(1);
  });
});
