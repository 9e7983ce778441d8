import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PuppetAgent } from "@patchbay/testkit";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ServerLab, startServerLab } from "../server/server-lab.ts";
import { findBrowser, whyNoBrowser } from "./panel-lab.ts";

const pageDirectory = join(import.meta.dirname, "..", "..", "dist", "page");

describe.skipIf(whyNoBrowser() !== undefined)("the panel in a browser by itself", () => {
  let browser: Browser;
  let context: BrowserContext;
  let place: string;
  let agent: PuppetAgent;
  let lab: ServerLab;
  let page: Page;

  beforeAll(async () => {
    const executablePath = findBrowser() ?? "";
    const args = ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP rebound.test 127.0.0.1"];
    browser = await chromium.launch({ executablePath, headless: true, args });
  });

  afterAll(async () => await browser.close());

  beforeEach(async () => {
    place = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-browser-")));
    agent = await PuppetAgent.create(place);
    lab = await start();
    context = await browser.newContext();
    page = await context.newPage();
  });

  afterEach(async () => {
    await context.close();
    await lab.close();
    await agent.dispose();
    rmSync(place, { recursive: true, force: true });
  });

  async function start(port?: number): Promise<ServerLab> {
    const again = port === undefined ? {} : { port };
    return await startServerLab({ agent, pageDirectory, root: place, beginWith: "puppet", ...again });
  }

  /** Opens a link, and sends a first prompt. */
  async function talk(): Promise<void> {
    await page.goto(lab.panel.url());
    await page.locator("textarea").fill("Begin");
    await page.keyboard.press("Enter");
    await expect.poll(() => agent.prompts).toEqual(["Begin"]);
  }

  const text = async (): Promise<string> => await page.locator("body").innerText();

  it("comes in by a link of which nothing stays in the address or the history", async () => {
    await talk();
    expect(page.url()).toBe(`${lab.origin}/`);
    agent.do({ act: "say", text: "Here **I** am" });
    await expect.poll(text).toContain("Here I am");
    await page.goto("about:blank");
    await page.goBack();
    expect(page.url()).toBe(`${lab.origin}/`);
    await expect.poll(text).toContain("Here I am");
    const seen = await page.evaluate(() => document.cookie);
    expect(seen).toBe("");
  });

  it("runs no script but its own, and complains of nothing", async () => {
    const problems: string[] = [];
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(String(error)));
    await talk();
    agent.do({ act: "say", text: "<img src=x onerror=alert(1)> <script>alert(1)</script> [x](javascript:alert(1))" });
    await expect.poll(text).toContain("alert(1)");
    expect(problems).toEqual([]);
    const ran = await page.evaluate(async () => {
      const script = document.createElement("script");
      try {
        script.text = "globalThis.wasRun = true";
        document.body.append(script);
      } catch {
        return "refused";
      }
      return Reflect.get(globalThis, "wasRun") ?? "refused";
    });
    expect(ran).toBe("refused");
    const reached = await page.evaluate(
      async () =>
        await fetch("https://example.com/").then(
          () => true,
          () => false,
        ),
    );
    expect(reached).toBe(false);
  });

  it("says in its tab what is going on, searches with our own bar, and uses the width beside reviews", async () => {
    await page.setViewportSize({ width: 1_100, height: 800 });
    await talk();
    await expect.poll(() => page.title()).toMatch(/^Working: .+ – Patchbay$/u);
    const icon = async (): Promise<string | null> => await page.locator("link[rel=icon]").getAttribute("href");
    const working = await icon();
    agent.do({ act: "ask", command: "make all" });
    await expect.poll(() => page.title()).toMatch(/^Waiting: .+ – Patchbay$/u);
    expect(await icon()).not.toBe(working);
    await page.keyboard.press("Control+f");
    await expect.poll(() => page.locator(".find input").count()).toBe(1);
    // As soon as a review was told of, the panel has a neighbour.
    await page.evaluate(() => {
      const reviews = document.createElement("div");
      reviews.className = "reviews";
      document.querySelector("#panel")?.before(reviews);
    });
    const width = await page.locator(".log-content").evaluate((element) => element.getBoundingClientRect().width);
    expect(width).toBeGreaterThan(1_000);
  });

  it("has an answer and a question again after it was reloaded in the middle of them", async () => {
    await talk();
    agent.do({ act: "say", text: "Half of " });
    await expect.poll(text).toContain("Half of");
    await page.reload();
    agent.do({ act: "say", text: "an answer" });
    agent.do({ act: "ask", command: "make all" });
    await expect.poll(text).toContain("Half of an answer");
    await page.reload();
    // A question takes no answer in its first moment.
    const yes = page.getByRole("button", { name: "Yes", exact: true });
    await yes.waitFor();
    await expect
      .poll(
        async () => {
          // Where the page is drawn anew under the click, it is tried again.
          if (await yes.isVisible()) await yes.click({ timeout: 2_000 }).catch(() => undefined);
          return agent.answers;
        },
        { timeout: 30_000 },
      )
      .toEqual(["yes"]);
    expect(agent.prompts).toEqual(["Begin"]);
  });

  it("hands the last letters before a reload to the server, which has them on its disk then", async () => {
    await talk();
    const directory = join(lab.root, "storage", "conversations");
    const onDisk = (): string =>
      readdirSync(directory, { recursive: true, encoding: "utf8" })
        .map((name) => join(directory, name))
        .filter((path) => statSync(path).isFile())
        .map((path) => readFileSync(path, "utf8"))
        .join("\n");
    await page.locator("textarea").pressSequentially("Half a thought");
    await page.reload();
    await expect.poll(async () => await page.locator("textarea").inputValue()).toBe("Half a thought");
    await expect.poll(onDisk, { timeout: 5_000 }).toContain('"Half a thought"');
  });

  it("is shut out with whoever else has opened its link", async () => {
    const url = lab.panel.url();
    await page.goto(url);
    await page.locator("textarea").waitFor();
    const other = await browser.newContext();
    const thief = await other.newPage();
    await thief.goto(url);
    await expect.poll(async () => await thief.locator(".connection").innerText()).toContain("patchbay panel");
    await expect.poll(async () => await page.locator(".connection").innerText()).toContain("patchbay panel");
    await other.close();
  });

  it("finds its server again after a restart with a new link in another tab, and loses and repeats nothing", async () => {
    await talk();
    agent.do({ act: "say", text: "Before" });
    agent.do({ act: "end" });
    await expect.poll(text).toContain("Before");
    const { port } = lab.panel;
    await lab.close();
    await expect.poll(async () => await page.locator(".connection").innerText()).toContain("Not connected");
    await page.locator("textarea").fill("Sent while away");
    await page.keyboard.press("Enter");
    await page.locator("textarea").fill("Half a dr");
    lab = await start(port);
    const tab = await context.newPage();
    await tab.goto(lab.panel.url());
    await tab.locator("textarea").waitFor();
    await page.bringToFront();
    await expect.poll(() => agent.prompts, { timeout: 30_000 }).toEqual(["Begin", "Sent while away"]);
    await expect.poll(async () => await page.locator(".connection").isHidden()).toBe(true);
    expect(await page.locator("textarea").inputValue()).toBe("Half a dr");
    await page.reload();
    await expect.poll(async () => await page.locator("textarea").inputValue()).toBe("Half a dr");
    expect(agent.prompts).toEqual(["Begin", "Sent while away"]);
  });

  it("shows what each command and each turn changed, and undoes a hunk, a file and the rest, as the ledger has it", async () => {
    const at = (name: string): string => join(lab.folder, name);
    const lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    writeFileSync(at("a.txt"), lines);
    writeFileSync(at("gone.txt"), "gone\n");
    writeFileSync(at("run.sh"), "#!/bin/sh\n");
    chmodSync(at("run.sh"), 0o644);
    const run = async (id: string, work: () => void): Promise<void> => {
      agent.do({ act: "run", id, command: `make ${id}`, isOver: false });
      await page
        .locator(".tool-title")
        .filter({ hasText: `make ${id}` })
        .waitFor();
      await lab.turns.settled();
      work();
      agent.do({ act: "run", id, command: `make ${id}`, isOver: true });
    };
    const inLog = async (selector: string): Promise<readonly string[]> => await page.locator(selector).allInnerTexts();
    const shownFor = async (id: string): Promise<readonly string[]> =>
      await inLog(`.entry-tool:has-text("make ${id}") .command-files .change-path`);
    await talk();
    await run("one", () => {
      writeFileSync(at("a.txt"), lines.replace("2", "TWO").replace("8", "EIGHT"));
      symlinkSync("a.txt", at("link"));
    });
    await expect.poll(async () => await shownFor("one")).toEqual(["a.txt", "link"]);
    await run("two", () => {
      rmSync(at("gone.txt"));
      chmodSync(at("run.sh"), 0o755);
      writeFileSync(at("new.bin"), new Uint8Array([0, 1]));
    });
    await expect.poll(async () => await shownFor("two")).toEqual(["gone.txt", "new.bin", "run.sh"]);
    agent.do({ act: "end" });
    // In the browser the page itself shows what was changed, in the view in which proposals stand.
    await page.getByRole("button", { name: "Review All" }).click();
    const past = page.locator(".past");
    const ofPast = async (selector: string): Promise<string> =>
      (await past.locator(selector).allInnerTexts()).join("|");
    const choose = async (name: string): Promise<void> =>
      await past.locator(".past-files button").filter({ hasText: name }).click();
    await expect.poll(async () => await ofPast(".differs .left .review-line")).toBe("2|8");
    expect(await ofPast(".differs .right .review-line")).toBe("TWO|EIGHT");
    expect(await past.locator("textarea").count()).toBe(0);
    await choose("run.sh");
    await expect.poll(async () => await ofPast(".review-notes")).toContain("Permissions: 644 → 755");
    await choose("link");
    await expect.poll(async () => await ofPast(".review-notes")).toContain("Link to: a.txt");
    await choose("a.txt");
    const first = past.locator(".change-bar").first();
    await expect.poll(async () => await first.innerText()).toContain("Hunk 1 of 2");
    await expect
      .poll(async () => {
        await first
          .getByRole("button", { name: "Undo" })
          .press("Enter", { timeout: 1_000 })
          .catch(() => {});
        return readFileSync(at("a.txt"), "utf8");
      })
      .toBe(lines.replace("8", "EIGHT"));
    await expect.poll(async () => await first.innerText()).toContain("Undone");
    await first.getByRole("button", { name: "Redo" }).click();
    await expect.poll(() => readFileSync(at("a.txt"), "utf8")).toContain("TWO");
    // Whatever has the keys, as after a button that is another one now.
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    await page.keyboard.press("Escape");
    await expect.poll(async () => await past.count()).toBe(0);
    await page.locator(".foot .changes .tool-head").click();
    const row = (name: string): Locator => page.locator(".changes-files > li").filter({ hasText: name });
    for (const name of ["a.txt", "link"])
      await row(name).getByRole("button", { name: "Show changed lines" }).first().click();
    await expect.poll(async () => await row("link").innerText()).toContain("Link to: a.txt");
    await row("a.txt").locator(".hunk").first().getByRole("button", { name: "Undo" }).press("Enter");
    await expect.poll(() => readFileSync(at("a.txt"), "utf8")).toBe(lines.replace("8", "EIGHT"));
    await expect.poll(async () => await row("a.txt").locator(".hunk .badge").allInnerTexts()).toEqual(["Undone"]);
    // The keyboard stays where it was.
    expect(await page.evaluate(() => document.activeElement?.closest(".hunk")?.ariaLabel)).toBe("Line 2");
    await row("a.txt").locator(".hunk").first().getByRole("button", { name: "Redo" }).click();
    await expect.poll(() => readFileSync(at("a.txt"), "utf8")).toContain("TWO");
    await row("gone.txt").getByRole("button", { name: "Undo", exact: true }).first().click();
    await expect.poll(() => existsSync(at("gone.txt"))).toBe(true);
    // Somebody else undoes, and the page shows it.
    const [turn] = lab.turns.turns().filter(({ undoes }) => undoes === undefined);
    await lab.turns.undo(turn?.id ?? "", { path: at("run.sh") });
    await expect.poll(async () => await row("run.sh").innerText()).toContain("Undone");
    await page.locator("textarea").fill("Go on");
    await page.keyboard.press("Enter");
    await expect.poll(async () => await page.locator(".foot .changes").count()).toBe(0);
    await page.locator(".log .changes .tool-head").click();
    await page.locator(".log .changes").getByRole("button", { name: "Undo All" }).click();
    agent.do({ act: "end" });
    await expect
      .poll(() => [existsSync(at("new.bin")), lstatSync(at("link"), { throwIfNoEntry: false })])
      .toEqual([false, undefined]);
    await expect.poll(() => readFileSync(at("a.txt"), "utf8")).toBe(lines);
    expect(statSync(at("run.sh")).mode & 0o777).toBe(0o644);
    expect(readFileSync(at("gone.txt"), "utf8")).toBe("gone\n");
    await expect.poll(async () => await inLog(".log .changed-file.undone .change-path")).toHaveLength(10);
  });

  it("adds an agent by its command, once it has answered or the user wants it all the same", async () => {
    await talk();
    await page.getByRole("button", { name: "Show conversations" }).click();
    const add = page.getByRole("button", { name: "Add another agent…" });
    const dialog = page.locator("dialog.agent");
    const tryIt = async (command: string): Promise<void> => {
      await dialog.getByLabel("Command").fill(command);
      await page.keyboard.press("Enter");
    };
    await add.click();
    await tryIt(`${agent.program}-not`);
    await expect.poll(async () => await dialog.getByRole("alert").innerText()).toContain("was not found");
    expect(await dialog.getByRole("button").allInnerTexts()).toEqual(["Cancel", "Add Anyway", "Try It"]);
    // Another command is another agent, of which nothing is known.
    await dialog.getByLabel("Command").fill("other");
    expect(await dialog.getByRole("button", { name: "Add Anyway" }).isDisabled()).toBe(true);
    await tryIt(agent.program);
    await expect.poll(async () => await dialog.getByRole("status").innerText()).toContain("It answered: ");
    expect(lab.saved).toEqual([]);
    await dialog.getByLabel("Name in the panel").fill("Mine");
    await page.keyboard.press("Enter");
    const kept = { name: "Mine", program: agent.program, args: [] };
    await expect.poll(() => lab.saved).toEqual([{ id: "mine", agent: kept }]);
    expect(await dialog.count()).toBe(0);
    await add.click();
    await tryIt(agent.program);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => lab.saved.length).toBe(1);
  });

  it("shows the conversation as a text, and closes it again", async () => {
    await talk();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByText("Open as Markdown").click();
    await expect.poll(async () => await page.locator("dialog pre").innerText()).toContain("## Begin");
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await expect.poll(async () => await page.locator("dialog").count()).toBe(0);
  });

  describe("another page", () => {
    /** A server of somebody else on another port, whose page tries what it likes; what it hears is kept. */
    async function evil(): Promise<{
      readonly port: number;
      readonly heard: IncomingHttpHeaders[];
      close(): Promise<void>;
    }> {
      const heard: IncomingHttpHeaders[] = [];
      const server = createServer((request, response) => {
        heard.push(request.headers);
        response.writeHead(200, { "content-type": "text/html" });
        response.end("<!doctype html><title>evil</title><body></body>");
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      return { port, heard, close: async () => await new Promise((resolve) => void server.close(() => resolve())) };
    }

    /** What a page gets from our server. */
    async function attack(from: Page, target: string): Promise<readonly string[]> {
      return await from.evaluate(async (origin) => {
        const got: string[] = [];
        const note = (what: string): void => void got.push(what);
        for (const path of ["/", "/door", "/page/panel.js"]) {
          await fetch(origin + path, { credentials: "include" }).then(
            () => note(`read ${path}`),
            () => undefined,
          );
        }
        const posted = { method: "POST", body: "x", credentials: "include" } as const;
        await fetch(`${origin}/door`, posted).then(
          () => note("posted"),
          () => undefined,
        );
        await new Promise<void>((resolve) => {
          const socket = new WebSocket(`${origin.replace("http", "ws")}/socket`, "patchbay.x");
          socket.onopen = () => {
            note("socket");
            resolve();
          };
          socket.onerror = () => resolve();
        });
        await new Promise<void>((resolve) => {
          const script = document.createElement("script");
          script.src = `${origin}/page/panel.js`;
          script.onload = () => {
            note("script");
            resolve();
          };
          script.onerror = () => resolve();
          document.body.append(script);
        });
        const frame = document.createElement("iframe");
        frame.src = `${origin}/`;
        const loaded = new Promise((resolve) => (frame.onload = resolve));
        document.body.append(frame);
        await loaded;
        return got;
      }, target);
    }

    it("of another port, with all that browsers send it of ours, gets nothing", async () => {
      await talk();
      const other = await evil();
      const tab = await context.newPage();
      await tab.goto(`http://127.0.0.1:${other.port}/`);
      expect(await attack(tab, lab.origin)).toEqual([]);
      expect(tab.frames().map((frame) => frame.url())).not.toContain(`${lab.origin}/`);
      // Browsers send the cookie to every port: it is not enough.
      const cookie = other.heard.map((headers) => headers.cookie).find((one) => one !== undefined) ?? "";
      expect(cookie).toContain(`patchbay-${lab.panel.port}=`);
      expect(await lab.socket({ cookie, key: "" })).toBeUndefined();
      await other.close();
    });

    it("that a name of its own leads to our server gets nothing", async () => {
      await talk();
      const tab = await context.newPage();
      const rebound = `http://rebound.test:${lab.panel.port}`;
      await expect(tab.goto(`${rebound}/`)).rejects.toThrow("ERR_HTTP_RESPONSE_CODE_FAILURE");
    });

    it("that opens ours in a window cannot reach into it", async () => {
      const other = await evil();
      const tab = await context.newPage();
      await tab.goto(`http://127.0.0.1:${other.port}/`);
      const [opened] = await Promise.all([
        context.waitForEvent("page"),
        tab.evaluate((url) => void Reflect.set(globalThis, "ours", open(url)), lab.panel.url()),
      ]);
      await opened.locator("textarea").waitFor();
      const reach = await tab.evaluate(() => {
        const ours: unknown = Reflect.get(globalThis, "ours");
        return typeof ours === "object" && ours !== null && Reflect.get(ours, "closed") === true
          ? "cut off"
          : "reached";
      });
      expect(reach).toBe("cut off");
      await other.close();
    });
  });
});
