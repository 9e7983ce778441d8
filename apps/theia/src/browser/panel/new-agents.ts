import { nls } from "@theia/core/lib/common/nls";
import { PreferenceScope } from "@theia/core/lib/common/preferences/preference-scope";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { inject, injectable } from "@theia/core/shared/inversify";
import type { AddedAgent, AgentAsk, AgentWish } from "../../common/panel-protocol.ts";
import { preferenceNames } from "../../common/preferences.ts";
import { Lists } from "../surfaces/lists.ts";
import { Notices } from "../surfaces/notices.ts";

/** Asks for agents that are to be added to the panel, and keeps them in the user's preferences. */
@injectable()
export class NewAgents {
  @inject(Lists)
  protected readonly lists: Lists;
  @inject(Notices)
  protected readonly notices: Notices;
  @inject(PreferenceService)
  protected readonly preferences: PreferenceService;

  async ask({ command, trial }: AgentAsk): Promise<AgentWish | undefined> {
    if (trial === undefined) return await this.askForCommand(command);
    if (trial.kind === "answered") {
      const { name, signIn } = trial;
      const answered = nls.localize("patchbay/panel/answered", "It answered: {0}", name);
      const methods =
        signIn.length === 0
          ? nls.localize("patchbay/panel/noSignIn", "It names no way to sign in.")
          : nls.localize("patchbay/panel/signIn", "It signs in by: {0}", signIn.join(", "));
      const question = nls.localize("patchbay/panel/agentName", "Name in the panel");
      const value = name.replace(/ v?\d[\w.+-]*$/u, "");
      const chosen = await this.lists.ask({ placeholder: question, prompt: `${answered}. ${methods}`, value });
      return chosen === undefined ? undefined : { kind: "save", name: chosen };
    }
    const other = nls.localize("patchbay/panel/otherCommand", "Change the Command");
    const anyway = nls.localize("patchbay/panel/addAnyway", "Add Anyway");
    const said = nls.localize("patchbay/panel/programSaid", "What the program said");
    const text = trial.words === "" ? trial.reason : `${trial.reason}\n${said}\n${trial.words}`;
    const answer = await this.notices.error(text, { actions: [other, anyway] }).answer;
    if (answer === anyway) return { kind: "save", name: "" };
    return answer === other ? await this.askForCommand(command) : undefined;
  }

  async save(id: string, agent: AddedAgent): Promise<void> {
    const own =
      this.preferences.inspect<Readonly<Record<string, never>>>(preferenceNames.panelAgents)?.globalValue ?? {};
    await this.preferences.set(preferenceNames.panelAgents, { ...own, [id]: agent }, PreferenceScope.User);
  }

  protected async askForCommand(value: string): Promise<AgentWish | undefined> {
    const prompt = nls.localize(
      "patchbay/panel/agentCommand",
      "The command that starts the agent over the Agent Client Protocol, such as: my-agent --acp",
    );
    const command = await this.lists.ask({ placeholder: "my-agent --acp", prompt, value });
    return command === undefined || command.trim() === "" ? undefined : { kind: "try", command };
  }
}
