import type { Diagnostic } from "@patchbay/core";
import { namedPlace, type NamedPlace } from "@patchbay/core/presences";
import { ClipboardService } from "@theia/core/lib/browser/clipboard-service";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import { PreferenceScope } from "@theia/core/lib/common/preferences/preference-scope";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { inject, injectable } from "@theia/core/shared/inversify";
import { TerminalService } from "@theia/terminal/lib/browser/base/terminal-service";
import { WorkspaceService } from "@theia/workspace/lib/browser/workspace-service";
import { preferenceNames, preferenceOf } from "../../common/preferences.ts";
import { PatchbayServer } from "../../common/protocol.ts";
import { ContextTracker } from "../context/context-tracker.ts";
import { ProblemReader } from "../documents/problem-reader.ts";
import { filePathOf } from "../documents/selection-text.ts";
import { Lists } from "../surfaces/lists.ts";
import { Notices } from "../surfaces/notices.ts";
import { terminalText } from "../surfaces/texts.ts";
import { WindowAttachment } from "../window/window-attachment.ts";
import { AgentPrompts } from "./agent-prompts.ts";
import type { AgentLaunch } from "./patchbay-commands.ts";

const severities: readonly Diagnostic["severity"][] = ["Error", "Warning", "Information", "Hint"];

/** What the commands about agents do. */
@injectable()
export class AgentActions {
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(ContextTracker)
  protected readonly context: ContextTracker;
  @inject(Notices)
  protected readonly notices: Notices;
  @inject(PreferenceService)
  protected readonly preferences: PreferenceService;
  @inject(TerminalService)
  protected readonly terminals: TerminalService;
  @inject(Lists)
  protected readonly lists: Lists;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(ClipboardService)
  protected readonly clipboard: ClipboardService;
  @inject(AgentPrompts)
  protected readonly prompts: AgentPrompts;
  @inject(ProblemReader)
  protected readonly problems: ProblemReader;
  @inject(WorkspaceService)
  protected readonly workspaces: WorkspaceService;

  async mention(selectionOnly: boolean): Promise<void> {
    const editor = this.context.activeEditor?.editor;
    const path = filePathOf(editor?.getResourceUri());
    if (editor === undefined || path === undefined) return;
    const { start, end } = editor.selection;
    const lines = selectionOnly ? { start: start.line, end: end.line } : undefined;
    if ((await this.server.mention(path, lines)) === 0) await this.putIntoPrompt({ path, lines });
  }

  /** The worst problem in the line of the cursor. */
  async sendProblem(): Promise<void> {
    const editor = this.context.activeEditor?.editor;
    const path = filePathOf(editor?.getResourceUri());
    if (editor === undefined || path === undefined) return;
    const { line } = editor.cursor;
    const here = this.problems
      .read(path)
      .flatMap(({ diagnostics }) => diagnostics)
      .filter(({ range }) => range.start.line <= line && line <= range.end.line)
      .toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));
    const problem = here[0];
    if (problem === undefined) {
      this.notices.info(nls.localize("patchbay/problem/none", "There is no problem at the cursor."), { timeout: 4000 });
      return;
    }
    const { start, end } = problem.range;
    await this.putIntoPrompt({ path, lines: { start: start.line, end: end.line }, problem });
  }

  /** For agents that take no mentions: the same in words, which are not sent. */
  protected async putIntoPrompt(named: NamedPlace): Promise<void> {
    const roots = (await this.workspaces.roots).map(({ resource }) => filePathOf(resource) ?? "");
    const root = roots.find((one) => one !== "" && named.path.startsWith(`${one}/`));
    const path = root === undefined ? named.path : named.path.slice(root.length + 1);
    const text = namedPlace({ ...named, path });
    if (text === undefined) {
      this.notices.info(
        nls.localize(
          "patchbay/mention/keys",
          "The name of this file contains characters that a terminal would treat as keystrokes.",
        ),
      );
      return;
    }
    const agentName = await this.prompts.pasteIntoLatest(text);
    this.notices.info(
      agentName === undefined
        ? nls.localize("patchbay/mention/nobody", "No agent in a terminal of this window takes a prompt now.")
        : nls.localize("patchbay/mention/pasted", "It is in the prompt of {0}, and not sent.", agentName),
      { timeout: 6000 },
    );
  }

  /** Lasts until it is taken back, also over a restart. */
  async share(sharing: boolean): Promise<void> {
    await this.preferences.set(preferenceNames.sharing, sharing, PreferenceScope.User);
    this.notices.info(
      sharing
        ? nls.localize("patchbay/sharing/resumed", "Sharing has resumed. Agents see your open files and selection.")
        : nls.localize(
            "patchbay/sharing/paused",
            "Sharing is paused. Agents do not see your open files or selection. Reviews still work.",
          ),
      { timeout: 6000 },
    );
  }

  /** For terminals outside of Theia: the variables as lines for a shell. */
  async copyEnvironment(): Promise<void> {
    const entries = Object.entries(this.attachment.status.environment);
    const lines = entries.map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`);
    await this.clipboard.writeText(lines.join(""));
    this.notices.info(
      nls.localize(
        "patchbay/environment/copied",
        "Paste the lines into a terminal in a folder of this window, then start the agent there.",
      ),
      { timeout: 8000 },
    );
  }

  async showShared(): Promise<void> {
    this.context.flush();
    const context = await this.server.sharedContext();
    const items = (context?.files ?? []).map((file) => {
      const active = context?.active?.path === file.path ? context.active : undefined;
      const where = active === undefined ? "" : `${active.cursor.line + 1}:${active.cursor.character + 1}`;
      const selected = active?.selection?.text;
      return {
        label: file.path,
        description: where,
        ...(selected === undefined ? {} : { detail: selected.slice(0, 200) }),
      };
    });
    const placeholder =
      items.length === 0
        ? nls.localize("patchbay/shared/nothing", "No file is shared with agents.")
        : nls.localize("patchbay/shared/title", "What agents see");
    await this.lists.choose(items, placeholder);
  }

  async run({ id, name, preference }: AgentLaunch): Promise<void> {
    const wanted = preferenceOf(this.preferences, preference, "");
    const commandLine = terminalText(wanted);
    if (commandLine === undefined) {
      this.notices.warn(
        nls.localize("patchbay/run/unseen", "The preference {0} contains more than one line: {1}", preference, wanted),
      );
      return;
    }
    const terminal = await this.terminals.newTerminal({ title: name });
    await terminal.start();
    await this.terminals.open(terminal, { mode: "activate" });
    terminal.sendText(`${await this.server.startLine(id, commandLine)}\n`);
  }
}
