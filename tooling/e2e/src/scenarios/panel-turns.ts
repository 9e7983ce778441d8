import { panelAgents, panelReadersToo } from "../agents/index.ts";
import { SpokenAnswer } from "../models/model-server.ts";
import { poll } from "../support/poll.ts";
import { proposeInPanel } from "./panel-review.ts";
import { startContents, usualChange, waitForNoDiff } from "./propose.ts";
import { inPanel, must, mustEqual, type Scenario } from "./scenario.ts";

const patience = 30_000;

/** An answer is read while it comes. */
export const panelAnswer: Scenario = {
  ...inPanel,
  name: "panel-answer",
  agents: panelReadersToo,
  run: async (world, id) => {
    const { agent, panel } = await world.converse(id);
    const answer = new SpokenAnswer();
    agent.model.play(answer.turn);
    await panel.send("Say hello to the panel");
    answer.say("Hello **from the model**, and here is ");
    await panel.waitForText(/Hello from the model, and here is/);
    must("the turn goes on", await panel.isBusy());
    answer.say("a list:\n\n- alpha\n- beta\n");
    await panel.entries("message").locator("li").filter({ hasText: "beta" }).waitFor({ timeout: patience });
    answer.end();
    await panel.waitUntilIdle();
    mustEqual("what is bold", await panel.entries("message").locator("strong").innerText(), "from the model");
    must("the model was asked it", (agent.model.conversation.at(0) ?? "").includes("Say hello to the panel"));
    mustEqual("prompts", String(await panel.entries("prompt").count()), "1");
  },
};

/** A command runs when it is allowed, and only then. */
export const panelCommand: Scenario = {
  ...inPanel,
  name: "panel-command",
  agents: panelAgents,
  run: async (world, id) => {
    const { agent, panel } = await world.converse(id);
    await world.writeFile("panel-command.txt", "");
    const command = `echo "made by a command" >> panel-command.txt`;
    agent.model.play(...agent.kind.commandTurns(command), { kind: "text", text: "It has run." });
    await panel.send("Run it");
    must("the whole command is shown", (await panel.waitForQuestion()).includes(command));
    mustEqual("the file", await world.readFile("panel-command.txt"), "");
    await panel.answer("yes");
    await panel.waitForText(/It has run\./);
    mustEqual("the file", await world.readFile("panel-command.txt"), "made by a command\n");

    agent.model.play(...agent.kind.commandTurns(`echo "never" >> panel-command.txt && sleep 0`));
    await panel.send("Run another one");
    await panel.answer("no");
    await panel.waitUntilIdle();
    mustEqual("the file", await world.readFile("panel-command.txt"), "made by a command\n");
  },
};

/** A turn is stopped while it answers and while it asks; the conversation goes on. */
export const panelStop: Scenario = {
  ...inPanel,
  name: "panel-stop",
  agents: panelAgents,
  run: async (world, id) => {
    await world.writeFile("panel-stop.txt", startContents);
    const talk = await world.converse(id);
    const { agent, panel } = talk;
    const answer = new SpokenAnswer();
    agent.model.play(answer.turn);
    await panel.send("Count to a million");
    answer.say("One, two, three");
    await panel.waitForText(/One, two, three/);
    await panel.stop();
    await panel.waitUntilIdle();
    await panel.waitForText(/Stopped/);
    answer.end();

    await proposeInPanel(world, talk, usualChange("panel-stop.txt"));
    await panel.stop();
    await panel.waitForNoQuestion();
    await waitForNoDiff(world, agent, "panel-stop.txt");
    await panel.waitUntilIdle();
    mustEqual("panel-stop.txt", await world.readFile("panel-stop.txt"), startContents);

    const before = agent.model.turnsAsked;
    agent.model.play({ kind: "text", text: "Here again." });
    await panel.send("Go on");
    await panel.waitForText(/Here again\./);
    await poll("the model's request", () => agent.model.turnsAsked > before, { timeout: patience });
  },
};
