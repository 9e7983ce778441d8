import { describe, expect, it } from "vitest";
import { readExclusions } from "../../src/context/exclusions.ts";
import { createSharingPolicy, excludePatternsOf, isSecretPath } from "../../src/context/sharing-policy.ts";

describe("sharing policy", () => {
  it.each([
    ".env",
    ".env.local",
    "prod.env",
    "id_rsa",
    "id_ed25519_work",
    "server.key",
    "tls.pem",
    ".npmrc",
    "credentials",
    "credentials.toml",
    "application_default_credentials.json",
    "production.tfvars",
    ".vault_pass",
    ".my.cnf",
  ])("C06 never shares the text of %s", (name) => expect(isSecretPath(`/ws/${name}`)).toBe(true));

  it.each([
    ".env~",
    ".ENV",
    ".env.local.dist",
    ".env.bak",
    "prod.env.old",
    "id_rsa.bak",
    "ID_RSA.BAK.2",
    "id_ed25519_work.orig",
    "key.pem.bak",
    "key.pem.bak~",
    "server.key.2026-11-22",
    "server.key.1",
    "server-key.pem_backup",
    "credentials copy",
    "credentials.json (1)",
    "#.npmrc#",
    ".#.netrc",
    "..env.swp",
    ".id_rsa.swo",
    ".credentials.json",
  ])("C06 never shares the text of the copy %s", (name) => expect(isSecretPath(`/ws/${name}`)).toBe(true));

  it.each([
    ".env.example",
    ".env.dist",
    ".env.local.example",
    "id_rsa.pub",
    "id_rsa.pub~",
    "environment.ts",
    "environment.ts.bak",
    "keyboard.ts~",
    "keyboard.ts",
    "main.key.ts",
    "v1.2.3",
  ])("shares the text of %s", (name) => expect(isSecretPath(`/ws/${name}`)).toBe(false));

  it.each(["/home/u/.ssh/config", "/home/u/.SSH/config", "C:\\Users\\u\\.Aws\\cli", "/home/u/.ssh/known.example"])(
    "treats everything in a key folder as secret: %s",
    (path) => expect(isSecretPath(path)).toBe(true),
  );

  it.each([
    ["*.log", "/ws/a/b.log", false],
    ["*.log", "/ws/a/b.logs", true],
    ["dist", "/ws/dist/main.js", false],
    ["/dist/**", "/ws/dist/main.js", false],
    ["dist/", "/ws/dist/main.js", false],
    ["./dist/", "/ws/dist/main.js", false],
    ["**/private/**", "/ws/a/private/b/c.ts", false],
    ["src/*.gen.{ts,js}", "/ws/src/a.gen.ts", false],
    ["src/*.gen.{ts,js}", "/ws/src/x/a.gen.ts", true],
    ["secret?.txt", "C:\\ws\\secret1.txt", false],
    ["notes [draft].md", "/ws/notes d.md", false],
    ["report[0-9].txt", "/ws/report7.txt", false],
    ["report[!0-9].txt", "/ws/report7.txt", true],
    ["report[^0-9].txt", "/ws/reportx.txt", false],
    ["{*.pem,{a,b}.txt}", "/ws/x/b.txt", false],
    ["*.{ts}", "/ws/a.ts", false],
    ["{src/**,test/*.snap}", "/ws/test/a.snap", false],
    ["**/*", "/ws/.hidden", false],
    ["a**b", "/ws/axxb", false],
    ["app/(group)/**", "/ws/app/(group)/page.tsx", false],
    ["*(1).txt", "/ws/copy(1).txt", false],
    ["#*", "/ws/#draft", false],
    ["C:\\ws\\dist", "C:\\ws\\dist\\main.js", false],
    ["dist\\", "/ws/dist/main.js", false],
    ["private\\*.sql", "/ws/private/a.sql", false],
    ["page\\[id\\].tsx", "/ws/page[id].tsx", false],
    ["Straße.txt", "/ws/Strasse.txt", true],
    ["é.txt", "/ws/e\u0301.txt", false],
    ["*.log", "/ws/a.LOG", true],
    ["?.txt", "/ws/ab.txt", true],
    ["", "/ws/a.ts", true],
  ])("exclusion %s on %s: named is %s", (pattern, path, named) => {
    const { excludes: isExcluded, unclear } = readExclusions([pattern], false);
    expect(unclear).toEqual([]);
    expect(createSharingPolicy({ isExcluded, shareSelection: true }).mayName(path)).toBe(named);
  });

  it("does not tell large letters from small ones where the system does not", () =>
    expect(readExclusions(["*.log"], true).excludes("/ws/a.LOG")).toBe(true));

  it.each([
    "!src/**",
    "secret[",
    "secret[]",
    "secret[a/b]",
    "[[:digit:]]",
    "[z-a]",
    "a]",
    "secret{a",
    "{a,{b,c}",
    "a}",
    "{}",
    "${a,b}",
    "{1..3}.txt",
    "@(a|b).ts",
    "+(a)",
    "*(a|b).ts",
    "a/../b",
    "a/{b,..}",
    "/",
    "[a\\",
    "{a,b}".repeat(9),
    `${"{a,".repeat(11)}b${"}".repeat(11)}`,
    "**/a/".repeat(21),
    "a".repeat(1_001),
    "5\0",
  ])("leaves everything out where %j may have meant anything, and says why", (pattern) => {
    const { excludes, unclear } = readExclusions(["*.log", pattern], false);
    expect(unclear).toMatchObject([{ pattern }]);
    expect(excludes("/ws/main.ts")).toBe(true);
  });

  it("takes no time over patterns and names that are made to take long", () => {
    // On the processor, not by the clock: the machine may be busy with other things.
    const before = process.cpuUsage();
    for (const pattern of [
      "*a".repeat(20),
      "*?".repeat(100),
      "*[ab]".repeat(20),
      "**/a/".repeat(19),
      "*{a,aa}".repeat(8),
    ])
      for (const path of [`/${"a".repeat(4_000)}c`, `/${"a/".repeat(2_000)}c`])
        readExclusions([`${pattern}b`], false).excludes(path);
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });

  it("finds the patterns in whatever stands in the settings", () => {
    expect(excludePatternsOf(undefined)).toEqual([]);
    expect(excludePatternsOf("*.sql")).toEqual(["*.sql"]);
    expect(excludePatternsOf(["a", "b"])).toEqual(["a", "b"]);
    expect(excludePatternsOf({ a: true, b: false, c: { when: "$(basename).ts" } })).toEqual(["a", "c"]);
    for (const unclear of [5, true, ["a", 5], [["a"]], [null]]) {
      expect(readExclusions(excludePatternsOf(unclear), false).unclear).toHaveLength(1);
    }
  });

  it("shares no text at all when selections are off", () => {
    expect(createSharingPolicy({ shareSelection: false }).mayShareText("/ws/a.ts")).toBe(false);
  });
});
