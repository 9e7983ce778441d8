import type { FrameLocator, Locator, Page } from "playwright-core";
import { pause, poll } from "../../support/poll.ts";

/** VS Code has a frame for each webview, in the order in which they were made, and in it the one of its document. */
export function webviewIn(page: Page, index = 0): FrameLocator {
  return page.locator("iframe.webview.ready").nth(index).contentFrame().frameLocator("iframe#active-frame");
}

/** Longest wait, ms: the first answer waits for the start of its agent, which takes long on a busy machine. */
const patience = 60_000;

/** How long a question that has just appeared takes no answer, with what a person needs to read it, ms. */
const readingMs = 600;

/** A conversation panel as its user sees it: a page in a frame of the window. */
export class ConversationPanel {
  readonly #page: Page;
  /** The page itself. */
  readonly frame: FrameLocator | Page;

  /** `frame`: default is the first webview of VS Code; the page itself where it stands in a browser alone. */
  constructor(page: Page, frame: FrameLocator | Page = webviewIn(page)) {
    this.#page = page;
    this.frame = frame;
  }

  get #root(): Locator {
    return this.frame.locator("#panel");
  }

  /** Resolves when the page is drawn: the welcome, the list, or a conversation. */
  async waitUntilReady(): Promise<void> {
    await this.#root.locator(".page, .welcome").first().waitFor({ timeout: patience });
  }

  /** Begins a conversation with an agent, from the welcome or from the head of another one. */
  async begin(agentName: string): Promise<void> {
    const welcome = this.#root.locator(".agent-button").filter({ hasText: agentName });
    const another = this.#root.getByRole("button", { name: "New conversation", exact: true });
    await welcome.or(another).first().waitFor({ timeout: patience });
    if (await welcome.isVisible()) await welcome.click();
    else {
      await another.click();
      const item = this.#root.getByRole("menuitem", { name: `New conversation with ${agentName}` });
      // One agent alone is begun with at once.
      if ((await another.getAttribute("aria-haspopup")) === "menu") await item.click({ timeout: patience });
    }
    await this.composer.waitFor({ timeout: patience });
    const isNew = async (): Promise<boolean> =>
      (await this.#root.locator(".head-agent").innerText()) === agentName && (await this.entries().count()) === 0;
    await poll(`a new conversation with ${agentName}`, isNew, { timeout: patience, describe: () => this.text() });
  }

  get composer(): Locator {
    return this.#root.locator(".composer textarea");
  }

  /** Types at the end of what is being written. */
  async write(text: string): Promise<void> {
    await this.composer.click();
    await this.composer.press("End");
    await this.composer.pressSequentially(text);
  }

  /** Writes a prompt and sends it. */
  async send(text: string): Promise<void> {
    await this.write(text);
    await this.composer.press("Enter");
    await poll("an empty composer", async () => (await this.composer.inputValue()) === "", { timeout: patience });
  }

  /** Waits until something is offered at the caret, in the first place. */
  async suggestion(name: RegExp): Promise<void> {
    const first = this.#root.locator(".suggestions [role=option]").first();
    await first.filter({ hasText: name }).waitFor({ timeout: patience });
  }

  /** Presses one of the actions of a prompt, which are shown to who points at it. */
  async actOnPrompt(index: number, name: string): Promise<void> {
    const prompt = this.entries("prompt").nth(index);
    await prompt.hover();
    await prompt.getByRole("button", { name, exact: true }).click({ timeout: patience });
  }

  /** Everything that the page shows; not what only screen readers are told. */
  async text(): Promise<string> {
    const parts = this.#root.locator(".head, .log-content, .changes, .composer, .foot-note, .list, .welcome, .failure");
    return (await parts.allInnerTexts()).join("\n");
  }

  /** What was said, of one kind or of all: `prompt`, `message`, `tool`, `question`, `notice`, `turn-end`. */
  entries(kind?: string): Locator {
    return this.#root.locator(`.log-content > .entry${kind === undefined ? "" : `-${kind}`}`);
  }

  /** Waits until the page shows such words. */
  async waitForText(words: RegExp): Promise<void> {
    let seen = "";
    const isShown = async (): Promise<boolean> => words.test((seen = await this.text()));
    await poll(`${words} in the panel`, isShown, { timeout: patience, describe: () => `It shows:\n${seen}` });
  }

  /** Whether the agent is at work, or waits for an answer. */
  async isBusy(): Promise<boolean> {
    return await this.button("Stop").isVisible();
  }

  async waitUntilIdle(): Promise<void> {
    await poll("the end of the turn", async () => !(await this.isBusy()), {
      timeout: patience,
      describe: async () => `The panel shows:\n${await this.text()}`,
    });
  }

  /** A button of the page, by what it is called. */
  button(name: string | RegExp): Locator {
    return this.#root.getByRole("button", typeof name === "string" ? { name, exact: true } : { name });
  }

  /** The question that waits for an answer. */
  get question(): Locator {
    return this.#root.locator(".question[data-question]").last();
  }

  /** Waits for a question, and reads it. */
  async waitForQuestion(): Promise<string> {
    await this.question.waitFor({ timeout: patience }).catch(async (error: unknown) => {
      throw new Error(`no question came; the panel shows:\n${await this.text()}`, { cause: error });
    });
    return await this.question.innerText();
  }

  /** Answers the question: yes for this once, or no, with a reason if there is one. */
  async answer(verdict: "yes" | "no", reason = ""): Promise<void> {
    await this.waitForQuestion();
    await pause(readingMs);
    if (reason !== "") await this.question.locator(".question-foot input").fill(reason);
    const button = this.question.getByRole("button", {
      name: verdict === "yes" ? /^(Yes|Allow|Allow once)$/i : /^(No|Reject)$/,
    });
    const asked = async (): Promise<string> => (await this.question.allInnerTexts()).join("\n");
    const before = await asked();
    await button.click();
    // The next one may be there at once.
    await poll(
      "the end of the question",
      async () => (await this.question.count()) === 0 || (await asked()) !== before,
      { timeout: patience, describe: async () => `The panel shows:\n${await this.text()}` },
    );
  }

  async waitForNoQuestion(): Promise<void> {
    await poll("the end of the question", async () => (await this.question.count()) === 0, {
      timeout: patience,
      describe: async () => `The panel shows:\n${await this.text()}`,
    });
  }

  /** Stops the turn. */
  async stop(): Promise<void> {
    await this.button("Stop").click({ timeout: patience });
  }

  /** The choices of an option of the agent's: its menu is opened, read and closed. */
  async choices(option: RegExp): Promise<readonly string[]> {
    const items = await this.#openOption(option);
    const names = await items.locator(".popup-name").allInnerTexts();
    await this.#page.keyboard.press("Escape");
    return names;
  }

  /** Chooses the value of an option. */
  async choose(option: RegExp, value: string): Promise<void> {
    const items = await this.#openOption(option);
    await items.filter({ has: this.frame.getByText(value, { exact: true }) }).click({ timeout: patience });
    const isChosen = async (): Promise<boolean> =>
      ((await this.button(option).first().getAttribute("aria-label")) ?? "").endsWith(`: ${value}`);
    await poll(`${value} as the ${option}`, isChosen, { timeout: patience, describe: () => this.text() });
  }

  async #openOption(option: RegExp): Promise<Locator> {
    await this.button(option).first().click({ timeout: patience });
    const items = this.#root.getByRole("menuitemradio");
    await items.first().waitFor({ timeout: patience });
    return items;
  }

  /** Picks one of the actions of the head's menu. */
  async act(name: string): Promise<void> {
    await this.button("More actions").click({ timeout: patience });
    await this.#root.getByRole("menuitem", { name, exact: true }).click({ timeout: patience });
  }

  /** What the list of conversations shows, each on a line; the list is closed again. */
  async list(): Promise<readonly string[]> {
    await this.#openList();
    const rows = await this.#rows.allInnerTexts();
    await this.button("Close").click();
    return rows.map((row) => row.replaceAll(/\s*\n\s*/g, " "));
  }

  /** Opens a conversation of the list, by words in its row; of several the first one, which is the newest. */
  async open(title: RegExp, which: "first" | "last" = "first"): Promise<void> {
    await this.look(title, which);
    await this.composer.waitFor({ timeout: patience });
  }

  /** The same, where it may be that it can only be read. */
  async look(title: RegExp, which: "first" | "last" = "first"): Promise<void> {
    await this.#openList();
    await this.#rows.filter({ hasText: title })[which]().locator(".row-button").click({ timeout: patience });
    await this.#root.locator(".log").waitFor({ timeout: patience });
  }

  async #openList(): Promise<void> {
    const list = this.button("Show conversations");
    if (await this.#root.locator(".welcome").isVisible()) return;
    if (!(await this.#root.locator("section.list").isVisible())) await list.click({ timeout: patience });
    await this.#rows.first().waitFor({ timeout: patience });
  }

  get #rows(): Locator {
    return this.#root.locator(".row");
  }
}
