import { describe, expect, it } from "vitest";
import { clientHeaders, createRequestGuard, type GuardVerdict } from "../../src/endpoint/request-guard.ts";

const guard = createRequestGuard({
  address: { kind: "tcp", port: 4321 },
  tokens: { any: "secret-token", gemini: "gemini-token" },
  tokenHeaders: ["x-claude-code-ide-authorization"],
  maximumMessageBytes: 1_000,
});

function check(
  headers: readonly (readonly [string, string])[],
  request: { readonly method?: string; readonly url?: string; readonly isUpgrade?: boolean } = {},
): GuardVerdict {
  return guard.check(
    {
      method: request.method ?? "POST",
      url: request.url ?? (request.isUpgrade === true ? "/" : "/mcp"),
      headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      rawHeaders: headers.flat(),
    },
    request.isUpgrade ?? false,
  );
}

const host = ["Host", "127.0.0.1:4321"] as const;
const bearer = ["Authorization", "Bearer secret-token"] as const;
const own = ["X-Claude-Code-Ide-Authorization", "secret-token"] as const;

function statusOf(verdict: GuardVerdict): number {
  return verdict.kind === "refused" ? verdict.status : 200;
}

describe("request guard", () => {
  it("lets an agent in by its bearer token", () => {
    expect(check([host, bearer])).toEqual({ kind: "admitted", route: "mcp", tokenName: "any" });
    expect(check([host, ["authorization", "bearer secret-token"]]).kind).toBe("admitted");
  });

  it.each(["Secret-token", "secret-tokem", "secret-toke", "secret-token2", "sécret-token", ""])(
    "refuses the token %j, which is nearly the right one",
    (token) => expect(statusOf(check([host, ["Authorization", `Bearer ${token}`]]))).toBe(401),
  );

  it("says which token it was", () => {
    expect(check([host, ["Authorization", "Bearer gemini-token"]])).toMatchObject({ tokenName: "gemini" });
  });

  it("takes both token headers for an upgrade and only the bearer for /mcp", () => {
    expect(check([host, own], { isUpgrade: true })).toMatchObject({ route: "websocket" });
    expect(check([host, bearer], { isUpgrade: true })).toMatchObject({ route: "websocket" });
    expect(statusOf(check([host, own]))).toBe(401);
  });

  it("takes a token in the headers that its agents use, and in no other", () => {
    const ofNova = createRequestGuard({
      address: { kind: "tcp", port: 4321 },
      tokens: { nova: "secret-token" },
      tokenHeaders: ["x-nova-token"],
      maximumMessageBytes: 1_000,
    });
    const upgrade = (name: string, times = 1): GuardVerdict => {
      const headers = { host: "127.0.0.1:4321", [name]: "secret-token" };
      const rawHeaders = [...Object.entries(headers).flat(), ...(times === 1 ? [] : [name, "secret-token"])];
      return ofNova.check({ method: "GET", url: "/", headers, rawHeaders }, true);
    };
    expect(upgrade("x-nova-token")).toMatchObject({ kind: "admitted", tokenName: "nova" });
    expect(statusOf(upgrade("x-nova-token", 2))).toBe(401);
    expect(statusOf(upgrade("x-claude-code-ide-authorization"))).toBe(401);
  });

  it("keeps secrets from those who tell agents apart", () => {
    const told = { host: "127.0.0.1:4321", "user-agent": "nova/1", accept: ["a", "b"].join() };
    const secrets = ["authorization", "x-claude-code-ide-authorization", "x-nova-token", "cookie", "mcp-session-id"];
    expect(clientHeaders({ ...told, ...Object.fromEntries(secrets.map((name) => [name, "secret"])) })).toEqual(told);
  });

  it.each(["127.0.0.1:4321", "localhost:4321", "LOCALHOST:4321", "[::1]:4321", "host.docker.internal:4321"])(
    "takes the Host %s",
    (value) => expect(check([["Host", value], bearer]).kind).toBe("admitted"),
  );

  it.each(["127.0.0.1", "127.0.0.1:4322", "evil.example:4321", "127.0.0.1:4321.evil.example", "127.1:4321", ""])(
    "A04 refuses the Host %j",
    (value) => expect(statusOf(check([["Host", value], bearer]))).toBe(403),
  );

  it("A04 refuses a request without Host", () => expect(statusOf(check([bearer]))).toBe(403));

  it.each(["http://127.0.0.1:4321", "null", "", "vscode-webview://x"])(
    "A03 refuses the Origin %j with the right token",
    (value) => {
      expect(statusOf(check([host, bearer, ["Origin", value]]))).toBe(403);
      expect(statusOf(check([host, own, ["Origin", value]], { isUpgrade: true }))).toBe(403);
    },
  );

  it.each([
    "Bearer",
    "Bearer ",
    "Bearer secret-toke",
    "Bearer secret-tokenn",
    "Basic secret-token",
    "secret-token",
    "",
  ])("A02 refuses the authorization %j, also beside the right token in the other header", (value) => {
    expect(statusOf(check([host, ["Authorization", value]]))).toBe(401);
    expect(statusOf(check([host, ["Authorization", value], own], { isUpgrade: true }))).toBe(401);
  });

  it.each([host, bearer, ["Content-Length", "3"], own, ["Mcp-Session-Id", "a"]] as const)(
    "A12 refuses two %s headers, equal ones too",
    (name, value) => {
      const verdict = check([
        host,
        bearer,
        ...(name === "Host" || name === "Authorization" ? [] : [[name, value] as const]),
        [name.toLowerCase(), value],
      ]);
      expect([401, 403]).toContain(statusOf(verdict));
    },
  );

  it("tells path, method and length only to those who are in", () => {
    expect(statusOf(check([host], { url: "/nowhere" }))).toBe(401);
    expect(statusOf(check([host, bearer], { url: "/nowhere" }))).toBe(404);
    expect(statusOf(check([host, bearer], { url: "/mcp?x" }))).toBe(404);
    expect(statusOf(check([host, bearer], { url: "/hook?x" }))).toBe(404);
    expect(statusOf(check([host, bearer], { method: "PUT" }))).toBe(405);
    expect(statusOf(check([host, bearer], { isUpgrade: true, url: "/mcp" }))).toBe(404);
    expect(statusOf(check([host, ["Content-Length", "9999"]]))).toBe(401);
    expect(statusOf(check([host, bearer, ["Content-Length", "1001"]]))).toBe(413);
  });
});
