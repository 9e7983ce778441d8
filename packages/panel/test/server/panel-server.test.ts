import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createFakeClock, PuppetAgent, panelHostContract } from "@patchbay/testkit";
import { askForLink, idleMs, linkMs } from "../../src/server/index.ts";
import { openPage, type ServerLab, type ServerLabOptions, startServerLab, textOf } from "./server-lab.ts";

panelHostContract({
  runner: { describe, it },
  create: async (agent) => {
    const lab = await startServerLab({ agent });
    const guest = await lab.enter();
    return {
      folder: lab.folder,
      openPage: async () => await openPage(lab, guest),
      logged: () => lab.logged,
      close: async () => await lab.panel.close(),
      dispose: async () => await lab.close(),
    };
  },
});

async function start(options: ServerLabOptions = {}): Promise<ServerLab> {
  const lab = await startServerLab(options);
  onTestFinished(async () => await lab.close());
  return lab;
}

/** Whether the door knows a browser. */
async function isIn(
  lab: ServerLab,
  { cookie, key }: { readonly cookie: string; readonly key: string },
): Promise<boolean> {
  return (await lab.ask("GET", "/door", { headers: { cookie, "patchbay-key": key } })).status === 204;
}

describe("connections", () => {
  it("of others that say nothing keep no browser out, and end no page", async () => {
    const lab = await start();
    const early = await lab.enter();
    const page = await lab.socket(early);
    const ended = vi.fn();
    page?.once("close", ended);
    const idle = Array.from({ length: 200 }, () => connect(lab.panel.port, "127.0.0.1").on("error", () => {}));
    onTestFinished(() => idle.forEach((socket) => socket.destroy()));
    await expect.poll(() => idle.filter(({ closed }) => closed).length).toBeGreaterThan(100);
    expect(await isIn(lab, await lab.enter())).toBe(true);
    expect(await isIn(lab, early)).toBe(true);
    expect(ended).not.toHaveBeenCalled();
  });
});

describe("a message of a page", () => {
  it.each([
    ["is nested deeply", "[".repeat(40_000_000)],
    ["has very many members", `[${"[],".repeat(10_000_000)}[]]`],
  ])("that %s is not parsed", async (_which, text) => {
    const lab = await start();
    const guest = await lab.enter();
    const socket = await lab.socket(guest);
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    await new Promise<void>((resolve) => socket?.send(text, () => resolve()));
    await expect.poll(() => lab.logged.join("\n"), { timeout: 30_000 }).toContain("could not be read");
    // That takes seconds, in which nobody else is answered.
    expect(parse.mock.calls.filter(([parsed]) => parsed.length > 1_000_000)).toEqual([]);
    expect(await isIn(lab, guest)).toBe(true);
  });
});

describe("a link", () => {
  it("lets one browser in, once", async () => {
    const lab = await start();
    const url = lab.panel.url();
    const guest = await lab.enter(url);
    expect(await isIn(lab, guest)).toBe(true);
    const { status, headers } = await lab.ask("POST", "/door", {
      body: url.split("#")[1] ?? "",
      headers: { cookie: guest.cookie },
    });
    expect([status, headers["set-cookie"]]).toEqual([401, undefined]);
    // It was the same browser, in another tab.
    expect(await isIn(lab, guest)).toBe(true);
  });

  it("that a second browser opens shuts the first one out, and its pages: one of them has stolen it", async () => {
    const lab = await start();
    const url = lab.panel.url();
    const thief = await lab.enter(url);
    const socket = await lab.socket(thief);
    const ended = new Promise((resolve) => socket?.once("close", resolve));
    const other = await lab.enter();
    expect((await lab.ask("POST", "/door", { body: url.split("#")[1] ?? "" })).status).toBe(401);
    await ended;
    expect(await isIn(lab, thief)).toBe(false);
    expect(await lab.socket(thief)).toBeUndefined();
    expect(await isIn(lab, other)).toBe(true);
    expect(lab.logged).toEqual(["A link was opened twice, by two browsers. Both are shut out."]);
  });

  it("is of no use after a minute", async () => {
    const clock = createFakeClock();
    const lab = await start({ clock });
    const [early, late] = [lab.panel.url(), lab.panel.url()];
    clock.advance(linkMs);
    await lab.enter(early);
    clock.advance(1);
    await expect(lab.enter(late)).rejects.toThrow("401");
  });

  it("cannot be guessed, and is not in what browsers send by themselves", async () => {
    const lab = await start();
    const [address, secret] = lab.panel.url().split("#");
    expect(address).toBe(`${lab.origin}/`);
    expect(Buffer.from(secret ?? "", "base64url")).toHaveLength(32);
    for (const body of ["", "x", "x".repeat(43), "x".repeat(5_000)]) {
      expect((await lab.ask("POST", "/door", { body })).status).toBe(401);
    }
  });
});

describe("the door", () => {
  it("sets a cookie that no script reads and no other site has sent, named by the port", async () => {
    const lab = await start();
    const { headers } = await lab.ask("POST", "/door", { body: lab.panel.url().split("#")[1] ?? "" });
    expect(String(headers["set-cookie"])).toMatch(
      new RegExp(`^patchbay-${lab.panel.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`, "u"),
    );
  });

  it.each([
    ["nothing", {}],
    ["the cookie alone, which browsers send to every port of the address", { cookie: true }],
    ["the key alone", { key: true }],
  ] as const)("lets nobody in who shows %s", async (_what, shows) => {
    const lab = await start();
    const guest = await lab.enter();
    const cookie = "cookie" in shows ? guest.cookie : "";
    const key = "key" in shows ? guest.key : "";
    expect(await lab.socket({ cookie, key })).toBeUndefined();
    expect(await isIn(lab, { cookie, key })).toBe(false);
  });

  it("lets nobody in by what another browser, or another server, was given", async () => {
    const [lab, other] = [await start(), await start()];
    const [one, two, elsewhere] = [await lab.enter(), await lab.enter(), await other.enter()];
    expect(await lab.socket({ cookie: one.cookie, key: two.key })).toBeUndefined();
    expect(await lab.socket(elsewhere)).toBeUndefined();
    // The same secret under the name of another port.
    const cookie = one.cookie.replace(/\d+=/u, `${other.panel.port}=`);
    expect(await lab.socket({ cookie, key: one.key })).toBeUndefined();
    expect(await lab.socket({ cookie: `${elsewhere.cookie}; ${one.cookie}`, key: one.key })).toBeDefined();
  });

  it.each([
    "http://evil.example",
    "null",
    "http://localhost",
    "https://127.0.0.1",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
  ])("lets no page of %s do anything", async (origin) => {
    const lab = await start();
    const guest = await lab.enter();
    const secret = lab.panel.url().split("#")[1] ?? "";
    expect((await lab.ask("POST", "/door", { headers: { origin }, body: secret })).status).toBe(403);
    expect(await lab.socket(guest, { origin })).toBeUndefined();
    expect((await lab.ask("GET", "/page/panel.js", { headers: { origin } })).status).toBe(403);
    const answer = await lab.ask("GET", "/", { headers: { origin } });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    // The link was not used up by it.
    expect((await lab.ask("POST", "/door", { body: secret })).status).toBe(200);
  });

  it("wants an origin wherever something is done, and heeds what browsers say of other sites", async () => {
    const lab = await start();
    const guest = await lab.enter();
    const body = lab.panel.url().split("#")[1] ?? "";
    expect((await lab.ask("POST", "/door", { headers: { origin: "" }, body })).status).toBe(403);
    expect(await lab.socket(guest, { "sec-fetch-site": "same-site" })).toBeUndefined();
    for (const site of ["cross-site", "same-site"]) {
      expect((await lab.ask("GET", "/page/panel.js", { headers: { origin: "", "sec-fetch-site": site } })).status).toBe(
        403,
      );
    }
    expect((await lab.ask("GET", "/page/panel.js", { headers: { origin: "" } })).status).toBe(200);
  });

  it.each(["evil.example", "localhost", "127.0.0.1", "[::1]", "127.0.0.1.evil.example"])(
    "answers nobody who calls it %s, as a name that DNS leads here",
    async (name) => {
      const lab = await start();
      const guest = await lab.enter();
      for (const host of [`${name}:${lab.panel.port}`.replace(/^127\.0\.0\.1:.*/u, "127.0.0.1"), name]) {
        for (const path of ["/", "/page/panel.js", "/door"]) {
          expect((await lab.ask("GET", path, { headers: { host } })).status).toBe(403);
        }
        expect(await lab.socket(guest, { host })).toBeUndefined();
      }
    },
  );

  it("reads no more of a body than a link is long", async () => {
    const lab = await start();
    const { port } = lab.panel;
    const head = `POST /door HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${lab.origin}\r\nContent-Length: 100000\r\n\r\n`;
    expect(await speak(port, head + "x".repeat(5_000))).toMatch(/^HTTP\/1\.1 401/u);
  });

  it("refuses headers that come twice", async () => {
    const lab = await start();
    const { port } = lab.panel;
    const text = await speak(port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 40[03]/u);
  });
});

describe("what is sent", () => {
  it("runs nothing but the page's own script, and stands in no frame, cache or referrer", async () => {
    const lab = await start();
    const { headers, body } = await lab.ask("GET", "/");
    const policy = String(headers["content-security-policy"]);
    for (const part of [
      "default-src 'none'",
      `connect-src ${lab.origin} ${lab.origin.replace("http", "ws")}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
    ]) {
      expect(policy.split("; ")).toContain(part);
    }
    expect(policy).not.toContain("unsafe");
    const [, nonce = ""] = /'nonce-([\w-]+)'/u.exec(policy) ?? [];
    expect(body).toContain(`nonce="${nonce}"`);
    expect((await lab.ask("GET", "/")).body).not.toContain(nonce);
  });

  it.each(["/", "/page/panel.js", "/nothing", "/door"])("has the same strict headers for %s", async (path) => {
    const lab = await start();
    expect((await lab.ask("GET", path)).headers).toMatchObject({
      "cache-control": "no-store",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    });
  });

  it("is in the user's language, before there is a page as well, and what the server tells", async () => {
    const lab = await start({ locale: "ja-JP" });
    const { body } = await lab.ask("GET", "/");
    expect(body).toContain('<html lang="ja-JP">');
    expect(body).toContain('data-close="閉じる"');
    const page = await lab.socket(await lab.enter());
    const frames: unknown[] = [];
    page?.on("message", (data) => frames.push(JSON.parse(textOf(data))));
    page?.send(JSON.stringify({ n: 1, message: { type: "ready" } }));
    const texts = {
      "compose.send": "送信",
      "say:Claude Code could not continue.": "Claude Code は続行できませんでした。",
    };
    const hello = { type: "hello", strings: expect.objectContaining(texts) };
    const heard = { message: expect.objectContaining(hello) };
    await expect.poll(() => frames).toContainEqual(expect.objectContaining(heard));
    lab.panel.tell("warning", "Open a folder first: agents work in one.");
    const sentence = "先にフォルダーを開いてください。エージェントはフォルダーの中で作業します。";
    await expect.poll(() => frames).toContainEqual({ shell: { type: "tell", severity: "warning", sentence } });
  });

  it("is the page's files and no others", async () => {
    const lab = await start();
    for (const path of [
      "/page/../work",
      "/page/..%2f..%2fetc%2fpasswd",
      "/page/",
      "/page/%00.js",
      "/package.json",
      "//x/",
    ]) {
      expect((await lab.ask("GET", path)).status).toBe(404);
    }
    for (const method of ["PUT", "DELETE", "OPTIONS", "HEAD"]) expect((await lab.ask(method, "/")).status).toBe(405);
  });
});

describe("a page's WebSocket", () => {
  it("is cut off for what is too long or no text, and costs the others nothing", async () => {
    const lab = await start();
    const guest = await lab.enter();
    const good = await openPage(lab, guest);
    const bad = await lab.socket(guest);
    const ended = new Promise((resolve) => bad?.once("close", resolve));
    bad?.send("no JSON");
    bad?.send(Buffer.from([1, 2, 3]));
    bad?.send(JSON.stringify({ n: "1", message: {} }));
    await expect.poll(() => lab.logged).toHaveLength(3);
    bad?.send(Buffer.alloc(65 * 1024 * 1024, 32).toString("latin1"));
    await ended;
    await good.say({ type: "ready" });
    await expect.poll(() => good.messages.length).toBeGreaterThan(0);
  });

  it("says regularly that its server lives, and ends where nobody answers", async () => {
    const clock = createFakeClock();
    const lab = await start({ clock });
    const socket = await lab.socket(await lab.enter());
    const beats: string[] = [];
    socket?.on("message", (data) => beats.push(textOf(data)));
    clock.advance(20_000);
    await expect.poll(() => beats).toEqual(["{}"]);
    socket?.pause();
    clock.advance(20_000);
    clock.advance(20_000);
    const ended = new Promise((resolve) => socket?.once("close", resolve));
    socket?.resume();
    await ended;
  });
});

describe("the agent that the server was started with", () => {
  it("begins in the first page that shows nothing, and takes no page of an earlier run its conversation", async () => {
    const place = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-begin-")));
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    const agent = await PuppetAgent.create(place);
    onTestFinished(async () => await agent.dispose());
    const lab = await start({ agent, beginWith: "puppet" });
    const guest = await lab.enter();
    const [back, fresh] = [await openPage(lab, guest), await openPage(lab, guest)];
    await back.say({ type: "ready", conversation: "of-an-earlier-run" });
    await fresh.say({ type: "ready" });
    await expect.poll(() => fresh.messages).toContainEqual(expect.objectContaining({ type: "conversation" }));
    const isShown = (message: unknown): boolean => typeof message === "object" && message !== null && "open" in message;
    expect([fresh.messages.some(isShown), back.messages.some(isShown)]).toEqual([true, false]);
    const later = await openPage(lab, guest);
    await later.say({ type: "ready" });
    await expect.poll(() => later.messages).toContainEqual(expect.objectContaining({ type: "hello" }));
    expect(later.messages.some(isShown)).toBe(false);
  });
});

describe("a file that an answer names", () => {
  it("is shown where it is in the folder, also by where its links lead, and nothing of any other", async () => {
    const place = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-link-")));
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    const agent = await PuppetAgent.create(place);
    onTestFinished(async () => await agent.dispose());
    const lab = await start({ agent, beginWith: "puppet" });
    mkdirSync(join(lab.root, "secret"));
    mkdirSync(join(lab.folder, "sub"));
    writeFileSync(join(lab.root, "secret", "passwd"), "SECRET\n");
    writeFileSync(join(lab.folder, "sub", "a.txt"), "SHOWN\n");
    symlinkSync(join(lab.root, "secret"), join(lab.folder, "link"));
    symlinkSync(join(lab.root, "secret", "passwd"), join(lab.folder, "notes.txt"));
    symlinkSync("notes.txt", join(lab.folder, "again.txt"));
    symlinkSync("sub", join(lab.folder, "inside"));
    symlinkSync("/proc/self", join(lab.folder, "proc"));
    const page = await openPage(lab, await lab.enter());
    await page.say({ type: "ready" });
    const opened = (): string | undefined => page.messages.map(idOf).find((id) => id !== undefined);
    await expect.poll(opened).not.toBe(undefined);
    const conversation = opened() ?? "";
    const outside = [
      "link/passwd",
      "notes.txt",
      "again.txt",
      "inside/../link/passwd",
      "proc/environ",
      "../secret/passwd",
    ];
    for (const path of [...outside, join(lab.root, "secret", "passwd")]) {
      await page.say({ type: "open-file", conversation, path });
      await expect.poll(() => page.told.at(-1), { message: path }).toMatchObject({ type: "tell" });
      page.told.length = 0;
    }
    for (const path of ["sub/a.txt", "inside/a.txt"]) {
      await page.say({ type: "open-file", conversation, path });
      await expect.poll(() => page.told.at(-1)).toMatchObject({ type: "text", text: "SHOWN\n" });
      page.told.length = 0;
    }
  });
});

/** The conversation that a message shows. */
function idOf(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null || !("open" in message)) return undefined;
  const { open } = message;
  return typeof open === "object" && open !== null && "id" in open ? String(open.id) : undefined;
}

describe("somebody slow", () => {
  it("is sent away, and keeps nobody waiting", async () => {
    const lab = await start();
    const { port } = lab.panel;
    const slow = Array.from({ length: 20 }, () => connect(port, "127.0.0.1"));
    const ends = slow.map(async (socket) => {
      socket.write(
        `POST /door HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 4000\r\nOrigin: ${lab.origin}\r\n`,
      );
      socket.on("error", () => undefined);
      socket.resume();
      await new Promise((resolve) => socket.once("close", resolve));
    });
    const guest = await lab.enter();
    expect(await isIn(lab, guest)).toBe(true);
    await Promise.all(ends);
  });
});

describe("the server", () => {
  it("ends when nobody looks and no agent works for a while", async () => {
    const clock = createFakeClock();
    const lab = await start({ clock });
    clock.advance(idleMs - 1);
    const socket = await lab.socket(await lab.enter());
    clock.advance(2);
    expect(lab.isIdle()).toBe(false);
    const ended = new Promise((resolve) => socket?.once("close", resolve));
    socket?.close();
    await ended;
    await expect
      .poll(() => {
        clock.advance(idleMs);
        return lab.isIdle();
      })
      .toBe(true);
  });

  it("listens where it did, or elsewhere if the port is taken", async () => {
    const lab = await start();
    const { port } = lab.panel;
    const beside = await start({ port });
    expect(beside.panel.port).not.toBe(port);
    await lab.close();
    expect((await start({ port })).panel.port).toBe(port);
  });

  it("gives a link to whoever proves the secret, and to nobody else", async () => {
    const deskSecret = "s".repeat(43);
    const lab = await start({ deskSecret });
    const { port } = lab.panel;
    const url = await askForLink(port, deskSecret);
    expect(await isIn(lab, await lab.enter(url))).toBe(true);
    expect(await askForLink(port, "t".repeat(43))).toBeUndefined();
    const headers = { origin: "", "sec-fetch-site": "" };
    for (const body of ["", deskSecret, `${"n".repeat(43)} ${deskSecret}`]) {
      expect((await lab.ask("POST", "/link", { headers, body })).status).toBe(403);
    }
    // A page cannot ask, whatever it knows.
    expect((await lab.ask("POST", "/link", { body: deskSecret })).status).not.toBe(200);
  });

  it("is not asked for a link where another program has its port by now", async () => {
    const [lab, other] = [await start({ deskSecret: "a".repeat(43) }), await start()];
    expect(await askForLink(other.panel.port, "a".repeat(43))).toBeUndefined();
    const liar = createServer((socket) => {
      socket.on("error", () => undefined);
      const body = `http://127.0.0.1:${socket.localPort}/#${"x".repeat(43)} ${"y".repeat(43)}`;
      socket.once("data", () => socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`));
    });
    await new Promise<void>((resolve) => liar.listen(0, "127.0.0.1", resolve));
    const address = liar.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    expect(await askForLink(port, "a".repeat(43))).toBeUndefined();
    await new Promise((resolve) => liar.close(resolve));
    await lab.close();
    expect(await askForLink(lab.panel.port, "a".repeat(43))).toBeUndefined();
  });
});

async function speak(port: number, text: string): Promise<string> {
  return await new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      answer += chunk;
      socket.end();
    });
    socket.on("close", () => resolve(answer));
    socket.write(text);
  });
}
