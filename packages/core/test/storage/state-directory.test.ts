import { createMemoryPlatform, type MemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { createPrivateStorage } from "../../src/storage/private-storage.ts";
import { baseDirectory, configDirectory, stateDirectory, turnsDirectory } from "../../src/storage/state-directory.ts";
import { nullLogger } from "../../src/support/logger.ts";

const stranger = 2_000;

function machine(environment: Readonly<Record<string, string>>, platform = "linux"): MemoryPlatform {
  return createMemoryPlatform({ environment, platform });
}

describe("where state is kept", () => {
  it.each([
    ["linux", {}, "/home/user/.local/state/patchbay/serve/x"],
    ["linux", { XDG_STATE_HOME: "" }, "/home/user/.local/state/patchbay/serve/x"],
    ["linux", { XDG_STATE_HOME: "/state" }, "/state/patchbay/serve/x"],
    ["linux", { XDG_STATE_HOME: "/state/" }, "/state/patchbay/serve/x"],
    ["linux", { XDG_STATE_HOME: "state" }, "/home/user/.local/state/patchbay/serve/x"],
    ["linux", { XDG_STATE_HOME: "./state" }, "/home/user/.local/state/patchbay/serve/x"],
    ["linux", { XDG_STATE_HOME: "~/state" }, "/home/user/.local/state/patchbay/serve/x"],
    ["darwin", { XDG_STATE_HOME: "../state" }, "/home/user/.local/state/patchbay/serve/x"],
    ["win32", { LOCALAPPDATA: "C:\\Users\\u\\AppData\\Local" }, "C:\\Users\\u\\AppData\\Local\\patchbay\\serve\\x"],
    ["win32", { LOCALAPPDATA: "\\\\server\\home" }, "\\\\server\\home\\patchbay\\serve\\x"],
    ["win32", { LOCALAPPDATA: "AppData" }, "/home/user\\.local\\state\\patchbay\\serve\\x"],
    ["win32", { LOCALAPPDATA: "C:AppData" }, "/home/user\\.local\\state\\patchbay\\serve\\x"],
  ])("on %s with %o: %s", (platform, environment, expected) => {
    expect(stateDirectory(machine(environment, platform).process, ["serve", "x"])).toBe(expected);
  });

  it("a relative path is no value of the other variables either", () => {
    const { process, random } = machine({ XDG_STATE_HOME: "s", XDG_CONFIG_HOME: "c", XDG_DATA_HOME: "d" });
    expect(configDirectory(process)).toBe("/home/user/.config/patchbay");
    expect(baseDirectory(process, "XDG_DATA_HOME", [".local", "share"])).toBe("/home/user/.local/share");
    expect(turnsDirectory({ process, random }, ["/work"])).toMatch(/^\/home\/user\/\.local\/state\/patchbay\/turns\//u);
    expect(configDirectory(machine({ XDG_CONFIG_HOME: "/c" }).process)).toBe("/c/patchbay");
    expect(configDirectory(machine({ APPDATA: "D:/r" }, "win32").process)).toBe("D:/r\\patchbay");
  });
});

describe("what stands there already", () => {
  const directory = "/home/user/.local/state/patchbay/serve/x";
  const stored = (platform: MemoryPlatform): ReturnType<typeof createPrivateStorage> =>
    createPrivateStorage({ platform, directory, logger: nullLogger });

  it.each<readonly [string, string, (files: MemoryPlatform["files"]) => void]>([
    [
      "patchbay, a link",
      "/home/user/.local/state/patchbay is a symbolic link",
      (files) => {
        files.addDirectory("/elsewhere/serve/x", { mode: 0o700 });
        files.addLink("/home/user/.local/state/patchbay", "/elsewhere");
      },
    ],
    [
      "patchbay, a link to nothing",
      "/home/user/.local/state/patchbay is a symbolic link",
      (files) => files.addLink("/home/user/.local/state/patchbay", "/elsewhere"),
    ],
    [
      "patchbay, of another user",
      `/home/user/.local/state/patchbay belongs to another user (uid ${stranger})`,
      (files) => files.addDirectory("/home/user/.local/state/patchbay", { uid: stranger, mode: 0o777 }),
    ],
    [
      "patchbay, of another user, with all that we would make",
      `/home/user/.local/state/patchbay belongs to another user (uid ${stranger})`,
      (files) => {
        files.addDirectory("/home/user/.local/state/patchbay", { uid: stranger, mode: 0o755 });
        files.addDirectory(directory, { mode: 0o700 });
      },
    ],
    [
      "a link below it",
      "/home/user/.local/state/patchbay/serve is a symbolic link",
      (files) => {
        files.addDirectory("/elsewhere/x", { mode: 0o700 });
        files.addLink("/home/user/.local/state/patchbay/serve", "/elsewhere");
      },
    ],
  ])("%s: nothing is written, and it is said why", async (_what, reason, plant) => {
    const platform = machine({});
    platform.files.addDirectory("/home/user/.local/state", { mode: 0o700 });
    plant(platform.files);
    const before = platform.files.paths;
    await expect(stored(platform).write("token", "secret")).rejects.toThrow(reason);
    await expect(stored(platform).write("token", "secret")).rejects.toThrow("XDG_STATE_HOME");
    expect(platform.files.paths).toEqual(before);
    const read = await stored(platform)
      .read("token")
      .catch(() => undefined);
    expect(read).toBeUndefined();
  });

  it("what is the user's own is used, and narrowed", async () => {
    const platform = machine({});
    platform.files.addDirectory("/home/user/.local/state/patchbay", { mode: 0o775 });
    await stored(platform).write("token", "secret");
    expect(await stored(platform).read("token")).toBe("secret");
    expect(await platform.files.lstat("/home/user/.local/state/patchbay")).toMatchObject({ mode: 0o755 });
    expect(await platform.files.lstat(directory)).toMatchObject({ mode: 0o700 });
  });

  it("the directory for state itself may be a link of the user's", async () => {
    const platform = machine({});
    platform.files.addDirectory("/disk/state", { mode: 0o700 });
    platform.files.addLink("/home/user/.local/state", "/disk/state");
    await stored(platform).write("token", "secret");
    expect(platform.files.paths).toContain("/disk/state/patchbay/serve/x/token.json");
  });
});
