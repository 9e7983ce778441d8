import { describe, expect, it } from "vitest";
import { createSharingPolicy, isSecretPath } from "../../src/context/sharing-policy.ts";

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

  it.each([".env.example", "id_rsa.pub", "environment.ts", "keyboard.ts", "main.key.ts"])(
    "shares the text of %s",
    (name) => expect(isSecretPath(`/ws/${name}`)).toBe(false),
  );

  it("treats everything in a key folder as secret", () => expect(isSecretPath("/home/u/.ssh/config")).toBe(true));

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
  ])("exclusion %s on %s: named is %s", (pattern, path, named) => {
    expect(createSharingPolicy({ exclude: [pattern], shareSelection: true }).mayName(path)).toBe(named);
  });

  it("shares no text at all when selections are off", () => {
    expect(createSharingPolicy({ exclude: [], shareSelection: false }).mayShareText("/ws/a.ts")).toBe(false);
  });
});
