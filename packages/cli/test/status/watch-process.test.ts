import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createTestPlatform, isMissing } from "@patchbay/testkit";
import { expect, it, onTestFinished } from "vitest";

const program = join(import.meta.dirname, "..", "..", "src", "start.ts");

it.skipIf(isMissing("signals to catch"))("status --watch goes on until its user ends it", async () => {
  const platform = createTestPlatform();
  onTestFinished(() => platform.dispose());
  const watching = spawn(
    process.execPath,
    ["--no-warnings", "--conditions=@patchbay/source", program, "status", "--watch", "--json"],
    {
      env: { PATH: process.env["PATH"], HOME: platform.root, TMPDIR: platform.root },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  onTestFinished(() => void watching.kill("SIGKILL"));
  let failed = "";
  watching.stderr.on("data", (chunk) => (failed += String(chunk)));
  const ended = once(watching, "close");
  await Promise.race([once(watching.stdout, "data"), ended]);
  watching.kill("SIGINT");
  expect([await ended, failed]).toEqual([[0, null], ""]);
});
