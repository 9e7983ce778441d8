import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PuppetAgent } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { openPage, startServerLab } from "../../../packages/panel/test/server/server-lab.ts";

/** Ways out of the folder, by what leads out: `link` a directory, `file` a file, `far` a link to a link. */
const waysOut = [
  "link/passwd",
  "./link/passwd",
  "link/../secret/passwd",
  "link/./passwd",
  "link//passwd",
  "inside/../link/passwd",
  "inside/up/secret/passwd",
  "file",
  "far",
  "root/proc/self/environ",
  "proc/environ",
  "proc/cwd/../../etc/passwd",
  "fd/0",
  "../secret/passwd",
];

describe("the page of the panel", () => {
  it("D15 the page of the panel shows no file that a link leads to out of the folder", async () => {
    const place = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-page-")));
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    const agent = await PuppetAgent.create(place);
    onTestFinished(async () => await agent.dispose());
    const lab = await startServerLab({ agent, beginWith: "puppet" });
    onTestFinished(async () => await lab.close());
    const [folder, secret] = [lab.folder, join(lab.root, "secret")];
    for (const path of [secret, join(folder, "inside")]) mkdirSync(path);
    writeFileSync(join(secret, "passwd"), "SECRET\n");
    writeFileSync(join(folder, "a.txt"), "SHOWN\n");
    const links = { link: secret, file: join(secret, "passwd"), far: "file", root: "/", proc: "/proc/self" };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name));
    symlinkSync("/proc/self/fd", join(folder, "fd"));
    symlinkSync("../..", join(folder, "inside", "up"));
    const page = await openPage(lab, await lab.enter());
    await page.say({ type: "ready" });
    const open = (): unknown => page.messages.map((one) => Reflect.get(Object(one), "open")).find(Boolean);
    await expect.poll(open).toBeTruthy();
    const conversation = String(Reflect.get(Object(open()), "id"));
    const paths = waysOut.flatMap((way) => [way, join(folder, way), `${folder}/${way}`]);
    for (const path of [...paths, join(secret, "passwd"), "/etc/passwd", "a.txt"]) {
      page.told.length = 0;
      await page.say({ type: "open-file", conversation, path });
      const type = path === "a.txt" ? "text" : "tell";
      await expect.poll(() => page.told.at(-1), { message: path }).toMatchObject({ type });
    }
    expect(page.told).toMatchObject([{ text: "SHOWN\n" }]);
  });
});
