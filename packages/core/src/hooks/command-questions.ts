import type { HookVerdict } from "../agents/hook.ts";
import type { ProposalOwner } from "../diff/proposal.ts";
import type { EditorHost } from "../editor-host.ts";
import type { Platform } from "../platform/platform.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";
import type { AskedCommands, CommandQuestion } from "./activity.ts";
import { shownCommand } from "./presences.ts";
import { rejectedCommandReason, unansweredCommandReason } from "./hook-verdicts.ts";
import { type Disposable, onAbort } from "../support/disposable.ts";

export interface CommandQuestionsOptions {
  readonly host: Pick<EditorHost, "messages" | "documents">;
  readonly platform: Pick<Platform, "clock" | "random">;
  readonly logger: Logger;
}

/** Of a command in a message, with its mark; longer ones are shown in a document of their own before they can be allowed. */
const longestLine = 180;

const allow = "Allow";
const reject = "Reject";
const showWhole = "Show Whole Command";

interface Asked {
  readonly question: CommandQuestion;
  readonly ended: AbortController;
  readonly settle: (verdict: HookVerdict | undefined) => void;
  /** The user has had all of it before their eyes. */
  isSeen: boolean;
}

/** Asks by the editor's messages, and waits. */
export class CommandQuestions implements AskedCommands {
  readonly #options: CommandQuestionsOptions;
  readonly #asked: Map<string, Asked> = new Map();

  constructor(options: CommandQuestionsOptions) {
    this.#options = options;
  }

  get all(): readonly CommandQuestion[] {
    return Array.from(this.#asked.values(), ({ question }) => question);
  }

  answer(id: string, answer: "allow" | "reject", reason?: string): boolean {
    const asked = this.#asked.get(id);
    const said = reason?.trim() ?? "";
    asked?.settle(
      answer === "allow" ? { kind: "allow" } : { kind: "deny", reason: rejectedCommandReason(reason), said },
    );
    return asked !== undefined;
  }

  /** A session has ended: nobody waits for an answer. Were its agent there after all, it would run nothing. */
  forget(owner: string): void {
    for (const { question, settle } of this.#asked.values()) {
      if (question.owner === owner) settle({ kind: "deny", reason: unansweredCommandReason });
    }
  }

  show(id: string): boolean {
    const asked = this.#asked.get(id);
    if (asked === undefined) return false;
    this.#show(asked).catch((error: unknown) =>
      this.#options.logger.warn("A command could not be shown", { reason: messageOf(error) }),
    );
    return true;
  }

  /** Waits for the user. `onAsked`: it stands in the list. Undefined: the agent waits no longer. */
  async ask(
    {
      agentName,
      sessionId: owner,
      command,
      folder,
      signal,
    }: Pick<ProposalOwner, "agentName" | "sessionId"> &
      Pick<CommandQuestion, "command" | "folder"> & { readonly signal: AbortSignal },
    onAsked: (id: string) => void,
  ): Promise<HookVerdict | undefined> {
    const { clock, random } = this.#options.platform;
    const id = random.token(8);
    const ended = new AbortController();
    const question = { id, agentName, owner, command, folder, since: clock.now() };
    let following: Disposable | undefined;
    try {
      return await new Promise((settle) => {
        this.#asked.set(id, { question, ended, settle, isSeen: false });
        onAsked(id);
        following = onAbort(signal, () => settle(undefined));
        if (!signal.aborted) this.show(id);
      });
    } finally {
      following?.dispose();
      this.#asked.delete(id);
      ended.abort();
    }
  }

  async #show(asked: Asked): Promise<void> {
    const { host } = this.#options;
    const { question, ended } = asked;
    const { agentName: agent, folder = "a folder that it does not name" } = question;
    const line = shownCommand(question.command);
    const openUntitled = host.documents?.openUntitled?.bind(host.documents);
    const isLong = openUntitled !== undefined && line.length > longestLine;
    const command = isLong ? `${line.slice(0, longestLine)}…` : line;
    while (!ended.signal.aborted) {
      const isHidden = isLong && !asked.isSeen;
      const action = await host.messages.show({
        code: "agent-command",
        severity: "warning",
        text: isLong
          ? `May ${agent} run a long command in ${folder} that begins with “${command}”?`
          : `May ${agent} run “${command}” in ${folder}?`,
        values: { agent, folder, command, id: question.id },
        actions: isHidden ? [showWhole, reject] : [allow, reject],
        signal: ended.signal,
      });
      if (action === allow || action === reject) this.answer(question.id, action === allow ? "allow" : "reject");
      if (action !== showWhole || ended.signal.aborted) return;
      await openUntitled?.(question.command, "command.sh");
      asked.isSeen = true;
    }
  }
}
