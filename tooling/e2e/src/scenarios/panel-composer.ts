import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { panelAgents } from "../agents/index.ts";
import { poll } from "../support/poll.ts";
import { proposeInPanel } from "./panel-review.ts";
import { startContents, usualChange, waitForContents } from "./propose.ts";
import { inPanel, inPanelOfEditor, must, mustEqual, type Scenario } from "./scenario.ts";

const patience = 60_000;

/** What is mentioned and what is selected goes to the model, and what is left out does not. */
export const panelContext: Scenario = {
  ...inPanelOfEditor,
  name: "panel-context",
  agents: panelAgents,
  run: async (world, id) => {
    await world.writeFile("panel-context.txt", "line one\nline two is chosen\nline three is private\n");
    await world.writeFile("panel-mentioned.txt", "words of the mentioned file\n");
    const { agent, panel } = await world.converse(id);
    await world.editor.openFile("panel-context.txt");
    await world.editor.selectLine(2);
    const chip = panel.frame.locator(".chip.selection");
    await chip.filter({ hasText: "panel-context.txt" }).waitFor({ timeout: patience });
    await panel.write("Compare with @panel-men");
    await panel.suggestion(/panel-mentioned\.txt/);
    await panel.composer.press("Enter");
    await panel.frame
      .locator(".chip.removable")
      .filter({ hasText: "panel-mentioned.txt" })
      .waitFor({ timeout: patience });
    await panel.send("and say what differs");
    await panel.waitForText(/All done\./);
    const [first = ""] = agent.model.conversation;
    must("the model reads the selection", first.includes("line two is chosen"));
    must("the model reads the name of the mentioned file", first.includes("panel-mentioned.txt"));
    must("the model does not read what is not selected", !first.includes("line three is private"));
    mustEqual("chips of the prompt", String(await panel.entries("prompt").locator(".chip").count()), "2");

    await world.editor.openFile("panel-context.txt");
    await world.editor.selectLine(3);
    await chip.filter({ hasText: "3" }).waitFor({ timeout: patience });
    await chip.click();
    const before = agent.model.turnsAsked;
    await panel.send("And without it");
    await poll("the model's request", () => agent.model.turnsAsked > before, { timeout: patience });
    must("what is left out stays out", !(agent.model.conversation.at(before) ?? "").includes("line three is private"));
    await panel.waitUntilIdle();
  },
};

/** A command of the agent's is offered while it is typed, and does what it does in a terminal. */
export const panelSlash: Scenario = {
  ...inPanel,
  name: "panel-slash",
  agents: panelAgents,
  run: async (world, id) => {
    const { home } = world.lab;
    for (const [folder, what] of [
      [".claude/commands", "Say hello to $ARGUMENTS from the command"],
      [".qwen/commands", "Say hello to {{args}} from the command"],
      [".pi/agent/prompts", "Say hello to $ARGUMENTS from the command"],
    ] as const) {
      await mkdir(join(home, folder), { recursive: true });
      await writeFile(join(home, folder, "greet-someone.md"), `---\ndescription: Greets\n---\n${what}\n`);
    }
    const { agent, panel } = await world.converse(id);
    await panel.send("Hello first");
    await panel.waitForText(/All done\./);
    // This one offers none of its user's own.
    const [typed, name] = id === "gemini" ? ["/memory s", "/memory show"] : ["/greet", "/greet-someone"];
    await panel.write(typed);
    await panel.suggestion(new RegExp(name));
    await panel.composer.press("Enter");
    await poll("the whole command", async () => (await panel.composer.inputValue()).startsWith(`${name} `), {
      timeout: patience,
    });
    const before = agent.model.turnsAsked;
    if (id === "gemini") {
      await panel.composer.press("Enter");
      await panel.waitForText(/memory is currently empty|current memory/i);
      mustEqual("requests", String(agent.model.turnsAsked), String(before));
      return;
    }
    await panel.send("Anna");
    await poll("the model's request", () => agent.model.turnsAsked > before, { timeout: patience });
    const request = agent.model.conversation.at(before) ?? "";
    must("the model reads what the command says", request.includes("Say hello to Anna from the command"));
    await panel.waitUntilIdle();
  },
};

/** The name of the mode in which an agent changes files without a question. */
const freeMode = { gemini: "Auto Edit", qwen: "Auto Edit", claude: "Edit freely", pi: "No questions" } as const;

/** In another mode a change comes without a question, is listed, and can be undone. */
export const panelMode: Scenario = {
  ...inPanel,
  name: "panel-mode",
  agents: panelAgents,
  run: async (world, id) => {
    await world.writeFile("panel-mode.txt", startContents);
    const talk = await world.converse(id);
    const { agent, panel } = talk;
    await panel.send("Hello first");
    await panel.waitForText(/All done\./);
    const wanted = Object.entries(freeMode).find(([agentId]) => agentId === id)?.[1] ?? "";
    await panel.choose(/^Mode: /, wanted);
    agent.model.play(...agent.kind.editTurns(`${world.lab.workspace}/panel-mode.txt`, "first line", "FREE line"));
    await panel.send("Change it without asking");
    await waitForContents(world, "panel-mode.txt", startContents.replace("first line", "FREE line"));
    await panel.waitUntilIdle();
    mustEqual("questions", String(await panel.entries("question").count()), "0");
    await panel.button(/^Changed files: 1/).click({ timeout: patience });
    await panel.button("Keep All").waitFor({ timeout: patience });
    await panel.button("Undo All").click();
    await waitForContents(world, "panel-mode.txt", startContents);
    await panel.waitForText(/Undone/);

    const asking = { gemini: "Default", qwen: "Default", claude: "Ask before edits", pi: "Ask before edits" };
    await panel.choose(/^Mode: /, Object.entries(asking).find(([agentId]) => agentId === id)?.[1] ?? "");
    await proposeInPanel(world, talk, usualChange("panel-mode.txt"));
    await panel.answer("no");
    await panel.waitUntilIdle();
  },
};

/** Another model is asked once it is chosen. */
export const panelModel: Scenario = {
  ...inPanel,
  name: "panel-model",
  // What Qwen Code can choose from is what its settings name: here a single one.
  agents: ["gemini", "claude", "pi"],
  run: async (world, id) => {
    const { agent, panel } = await world.converse(id);
    await panel.send("Hello first");
    await panel.waitForText(/All done\./);
    const modelOf = (index: number): string => {
      const request = agent.model.requests.filter(({ isConversation }) => isConversation).at(index);
      return (
        /"model":"([^"]+)"/.exec(request?.text ?? "")?.[1] ?? /models\/([^:]+):/.exec(request?.path ?? "")?.[1] ?? ""
      );
    };
    const before = modelOf(-1);
    must("a model was asked", before !== "");
    const choices = await panel.choices(/^Model: /);
    const wanted = id === "gemini" ? /flash-lite/ : id === "pi" ? /Thinker/ : /Haiku/;
    const other = choices.findLast((name) => wanted.test(name));
    if (other === undefined) throw new Error(`there is no other model among ${choices.join(", ")}`);
    await panel.choose(/^Model: /, other);
    const asked = agent.model.turnsAsked;
    await panel.send("And now");
    await poll("the model's request", () => agent.model.turnsAsked > asked, { timeout: patience });
    await panel.waitUntilIdle();
    must(`another model is asked than ${before}`, modelOf(-1) !== before);
  },
};

/** An agent whose user has to sign in says so, keeps the prompt, and goes on when that is done. */
export const panelSignIn: Scenario = {
  ...inPanel,
  name: "panel-sign-in",
  agents: panelAgents,
  run: async (world, id) => {
    const { agent, panel } = await world.converse(id, async (prepared) => prepared.signIn(false));
    await panel.send("Is anybody there");
    await panel.waitForText(/needs you to sign in/);
    mustEqual("requests", String(agent.model.turnsAsked), "0");
    must("the prompt is kept", (await panel.text()).includes("Is anybody there"));
    await agent.signIn(true);
    await panel.button("Try Again").first().click();
    await panel.waitForText(/All done\./);
    must("the model reads the prompt", (agent.model.conversation.at(0) ?? "").includes("Is anybody there"));
    mustEqual("prompts", String(await panel.entries("prompt").count()), "1");
  },
};
