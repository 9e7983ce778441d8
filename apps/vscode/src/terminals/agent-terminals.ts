import { type Disposable, type Terminal, ThemeIcon, window } from "vscode";
import { agentCommandLine, type AgentId } from "../settings/agent-command.ts";

/** The agents that Patchbay starts, under the names people know. */
const agentNames: Readonly<Record<AgentId, string>> = {
  gemini: "Gemini CLI",
  qwen: "Qwen Code",
  claude: "Claude Code",
};

/** Terminals in which Patchbay started an agent. */
export class AgentTerminals implements Disposable {
  readonly #terminals: Map<Terminal, AgentId> = new Map();
  readonly #subscription: Disposable;

  constructor() {
    this.#subscription = window.onDidCloseTerminal((terminal) => this.#terminals.delete(terminal));
  }

  /** Starts an agent in a new terminal and goes there: the user asked for it. */
  run(agent: AgentId): void {
    const terminal = window.createTerminal({ name: agentNames[agent], iconPath: new ThemeIcon("sparkle") });
    this.#terminals.set(terminal, agent);
    terminal.show();
    terminal.sendText(agentCommandLine(agent));
  }

  /** The terminal in which text for an agent is wanted: the one in front, else the newest. */
  get current(): Terminal | undefined {
    const { activeTerminal } = window;
    if (activeTerminal !== undefined && this.#terminals.has(activeTerminal)) return activeTerminal;
    return Array.from(this.#terminals.keys()).at(-1);
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}
