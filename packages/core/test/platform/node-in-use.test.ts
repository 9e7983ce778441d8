import { expect, it } from "vitest";
import { whileInUse } from "../../src/platform/node-in-use.ts";

function refused(times: number, code: string) {
  let calls = 0;
  const work = async (): Promise<string> => {
    calls += 1;
    if (calls <= times) throw Object.assign(new Error("refused"), { code });
    return "done";
  };
  return { work, calls: () => calls };
}

it.each(["EPERM", "EACCES", "EBUSY"])("Windows is asked again while it says %s", async (code) => {
  const { work, calls } = refused(3, code);
  expect(await whileInUse(work, true)).toBe("done");
  expect(calls()).toBe(4);
});

it("a file that stays in use is given up after a while", async () => {
  const { work, calls } = refused(100, "EPERM");
  await expect(whileInUse(work, true)).rejects.toThrow("refused");
  expect(calls()).toBe(9);
});

it.each([
  ["another system", "EPERM", false],
  ["another failure", "ENOSPC", true],
])("%s is asked once", async (_what, code, isWindows) => {
  const { work, calls } = refused(1, code);
  await expect(whileInUse(work, isWindows)).rejects.toThrow("refused");
  expect(calls()).toBe(1);
});
