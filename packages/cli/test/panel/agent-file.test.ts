import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configDirectory } from "@patchbay/core";
import { createTestPlatform } from "@patchbay/testkit";
import { expect, it, onTestFinished } from "vitest";
import { addAgent, readAgents } from "../../src/panel/agent-file.ts";

it("adds an agent to the file of the user, which may not be there, and leaves alone what else is in it", async () => {
  const platform = createTestPlatform();
  onTestFinished(() => platform.dispose());
  const folder = configDirectory(platform.process);
  const path = join(folder, "panel.json");
  const nova = { name: "Nova", program: "/opt/nova", args: ["--acp"] };
  expect(await addAgent(platform, "nova", nova)).toEqual({ nova });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, JSON.stringify({ later: 1, agents: { claude: { model: "opus" } } }));
  expect(await addAgent(platform, "nova", nova)).toEqual({ claude: { model: "opus" }, nova });
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ later: 1, agents: { claude: { model: "opus" }, nova } });
  expect(await readAgents(platform)).toEqual({ claude: { model: "opus" }, nova });
  expect(readdirSync(folder)).toEqual(["panel.json"]);
  writeFileSync(path, "{ no");
  await expect(addAgent(platform, "nova", nova)).rejects.toThrow("is not valid JSON");
  expect(readFileSync(path, "utf8")).toBe("{ no");
});
