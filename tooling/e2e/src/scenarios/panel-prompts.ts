import { panelAgents } from "../agents/index.ts";
import { SpokenAnswer } from "../models/model-server.ts";
import { poll } from "../support/poll.ts";
import { inPanel, must, mustEqual, type Scenario } from "./scenario.ts";

const patience = 60_000;

/** A red picture of 2 x 2 points. */
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==";

/** What is sent while the agent answers waits in sight, is written in other words, taken away, and sent when the turn has ended. */
export const panelQueue: Scenario = {
  ...inPanel,
  name: "panel-queue",
  agents: panelAgents,
  run: async (world, id) => {
    const { agent, panel } = await world.converse(id);
    const queued = panel.frame.locator(".queue li");
    const waiting = async (...texts: readonly string[]): Promise<void> => {
      let seen: readonly string[] = [];
      const isShown = async (): Promise<boolean> => {
        seen = (await queued.locator(".queue-text").allInnerTexts()).map((text) => text.trim());
        return seen.join("|") === texts.join("|");
      };
      await poll(`${texts.length} that wait`, isShown, { timeout: patience, describe: () => seen.join(" | ") });
    };
    const press = async (index: number, name: string | RegExp): Promise<void> => {
      await queued.nth(index).hover();
      await queued.nth(index).getByRole("button", { name }).click({ timeout: patience });
    };
    const answer = new SpokenAnswer();
    agent.model.play(answer.turn, { kind: "text", text: "And that was the second answer." });
    await panel.send("Begin something long");
    answer.say("It takes a while");
    await panel.waitForText(/It takes a while/);
    await panel.send("What comes next");
    await panel.send("Nobody wants this");
    await waiting("What comes next", "Nobody wants this");
    await press(1, "Remove");
    await waiting("What comes next");
    await press(0, "Edit");
    await poll("what is edited", async () => (await panel.composer.inputValue()) === "What comes next", {
      timeout: patience,
    });
    await waiting();
    await panel.send(", in other words");
    await waiting("What comes next, in other words");
    mustEqual("requests", String(agent.model.turnsAsked), "1");
    must("the turn goes on", await panel.isBusy());
    answer.end();
    await panel.waitForText(/And that was the second answer/);
    await panel.waitUntilIdle();
    await waiting();
    const request = agent.model.conversation.at(1) ?? "";
    must("the model reads the words as they are now", request.includes("What comes next, in other words"));
    must("and nothing that was taken away", !request.includes("Nobody wants this"));
    mustEqual("prompts", String(await panel.entries("prompt").count()), "2");
  },
};

/** A picture that is pasted is shown, can be taken away, and reaches the model. */
export const panelPicture: Scenario = {
  ...inPanel,
  name: "panel-picture",
  agents: panelAgents,
  run: async (world, id) => {
    const { agent, panel } = await world.converse(id);
    const paste = async (): Promise<void> =>
      await panel.composer.evaluate((area, data) => {
        const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File([bytes], "red.png", { type: "image/png" }));
        area.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
      }, picture);
    await panel.send("Hello first");
    await panel.waitForText(/All done\./);
    await panel.waitUntilIdle();
    const chips = panel.frame.locator(".composer .chip.removable");
    await paste();
    await chips.first().waitFor({ timeout: patience });
    await chips.first().getByRole("button").click();
    await poll("no picture", async () => (await chips.count()) === 0, { timeout: patience });
    await paste();
    await chips.first().waitFor({ timeout: patience });
    const before = agent.model.turnsAsked;
    agent.model.play({ kind: "text", text: "It is red." });
    await panel.send("Which colour is it");
    await panel.waitForText(/It is red\./);
    await panel.waitUntilIdle();
    const request = agent.model.requests.filter(({ isConversation }) => isConversation).at(before)?.text ?? "";
    // Qwen Code gives a picture's place to models of which it does not know that they see.
    const sign = id === "qwen" ? "[image: image/png]" : picture.slice(0, 40);
    must("the model sees the picture", request.includes(sign));
    must("the prompt shows it", (await panel.entries("prompt").last().locator("img").count()) === 1);
  },
};

/** An earlier prompt in other words: a copy goes on from there, and the conversation stays as it was. */
export const panelResend: Scenario = {
  ...inPanel,
  name: "panel-resend",
  agents: ["claude"],
  run: async (world, id) => {
    const { agent, panel } = await world.converse(id);
    for (const word of ["hazel", "maple"]) {
      agent.model.play({ kind: "text", text: `Noted: ${word}.` });
      await panel.send(`Keep the word ${word}`);
      await panel.waitForText(new RegExp(`Noted: ${word}`));
      await panel.waitUntilIdle();
    }
    await panel.actOnPrompt(1, "Edit and resend");
    const before = agent.model.turnsAsked;
    agent.model.play({ kind: "text", text: "Noted: willow." });
    const area = panel.frame.locator(".confirmation textarea");
    mustEqual("what is edited", await area.inputValue(), "Keep the word maple");
    await area.fill("Keep the word willow instead");
    await area.press("Enter");
    await panel.waitForText(/Noted: willow/);
    await panel.waitUntilIdle();
    const request = agent.model.conversation.at(before) ?? "";
    must("the model reads what was before", request.includes("Keep the word hazel"));
    must("and the prompt in other words", request.includes("Keep the word willow instead"));
    must("and nothing of what it stands for", !request.includes("maple"));
    must("the copy shows nothing of it", !(await panel.text()).includes("Noted: maple"));
    // Both are called by their first prompt; the older one stands below.
    await panel.open(/hazel/, "last");
    const isAsItWas = async (): Promise<boolean> => (await panel.text()).includes("Noted: maple");
    await poll("the conversation as it was", isAsItWas, { timeout: patience, describe: () => panel.text() });
  },
};
