import { expect, it } from "vitest";
import { LogFanOut } from "../../src/node/window-service.ts";

it("writes every line to Theia's log, and those worth reading to the windows, also to later ones", () => {
  const written: string[] = [];
  const log = new LogFanOut(
    (severity, line) => written.push(`${severity} ${line}`),
    () => 0,
  );
  const early: string[] = [];
  log.read((lines) => early.push(...lines));
  log.debug("small");
  log.info("An agent connected", { dialect: "gemini" });
  const late: string[] = [];
  const stop = log.read((lines) => late.push(...lines));
  stop();
  log.error("broken");
  expect(written).toEqual(["debug small", "info An agent connected dialect=gemini", "error broken"]);
  expect(early).toEqual([
    "1970-01-01T00:00:00.000Z [info] An agent connected dialect=gemini",
    "1970-01-01T00:00:00.000Z [error] broken",
  ]);
  expect(late).toEqual(["1970-01-01T00:00:00.000Z [info] An agent connected dialect=gemini"]);
});
