import { posix, win32 } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPlainName, joinPath, splitPath } from "../../src/storage/private-directory.ts";
import { createNodePlatform } from "../../src/platform/node.ts";
import type { Platform } from "../../src/platform/platform.ts";
import { anyText } from "../any-text.ts";

const node = createNodePlatform();
const onSystem = (platform: string): Platform => ({ ...node, process: { ...node.process, platform } });
const [linux, windows] = [onSystem("linux"), onSystem("win32")];

const name = fc.string({ minLength: 1, maxLength: 12 }).filter(isPlainName);

describe("paths", () => {
  it("are joined and split as the system does", () => {
    fc.assert(
      fc.property(fc.array(name), name, (directories, last) => {
        const directory = `/${directories.join("/")}`;
        const path = joinPath(linux, directory, last);
        expect(path).toBe(posix.join(directory, last));
        expect(splitPath(linux, path)).toEqual({ parent: posix.dirname(path), name: last });
        const drive = `C:\\${directories.join("\\")}`;
        const windowsPath = joinPath(windows, drive, last);
        expect(windowsPath).toBe(win32.join(drive, last));
        expect(splitPath(windows, windowsPath)).toEqual({ parent: win32.dirname(windowsPath), name: last });
      }),
    );
  });

  it("end at the root, and need no final separator", () => {
    expect(splitPath(linux, "/")).toEqual({ parent: "/", name: "" });
    expect(splitPath(linux, "/a//")).toEqual({ parent: "/", name: "a" });
    expect(splitPath(windows, "C:\\a\\b\\")).toEqual({ parent: "C:\\a", name: "b" });
    expect(joinPath(linux, "/tmp/", "a")).toBe("/tmp/a");
  });

  it("never leave a directory by a plain name", () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        if (!isPlainName(text)) return;
        expect(posix.dirname(posix.join("/a/b", text))).toBe("/a/b");
        expect(win32.dirname(win32.join("C:\\a\\b", text))).toBe("C:\\a\\b");
      }),
    );
  });
});
