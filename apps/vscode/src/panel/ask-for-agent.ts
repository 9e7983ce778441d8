import { l10n } from "@patchbay/languages/spoken";
import type { AgentAsk, AgentWish, Said } from "@patchbay/panel/messages";
import { askForText, askModally } from "../surfaces/messages.ts";

/** Asks for the command of an agent that is to be added, and what is to become of what came of it. */
export async function askForAgent({ command, trial }: AgentAsk, said: Said): Promise<AgentWish | undefined> {
  if (trial === undefined) return await askForCommand(command);
  if (trial.kind === "answered") {
    const { name, signIn } = trial;
    const title = l10n.t("It answered: {0}", name);
    const methods =
      signIn.length === 0 ? l10n.t("It names no way to sign in.") : l10n.t("It signs in by: {0}", signIn.join(", "));
    const value = name.replace(/ v?\d[\w.+-]*$/u, "");
    const prompt = l10n.t("Name in the panel");
    const chosen = await askForText({ title, placeholder: prompt, prompt: `${prompt}. ${methods}`, value });
    return chosen === undefined ? undefined : { kind: "save", name: chosen };
  }
  const [other, anyway] = [l10n.t("Change the Command"), l10n.t("Add Anyway")];
  const words = trial.words === "" ? [] : [l10n.t("What the program said"), trial.words];
  const answer = await askModally(said(trial.reason), [other, anyway], words);
  if (answer === anyway) return { kind: "save", name: "" };
  return answer === other ? await askForCommand(command) : undefined;
}

async function askForCommand(value: string): Promise<AgentWish | undefined> {
  const command = await askForText({
    title: l10n.t("Add an agent"),
    placeholder: "my-agent --acp",
    prompt: l10n.t("The command that starts the agent over the Agent Client Protocol, such as: my-agent --acp"),
    value,
  });
  return command === undefined || command.trim() === "" ? undefined : { kind: "try", command };
}
