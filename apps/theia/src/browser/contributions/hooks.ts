import { ApplicationShell } from "@theia/core/lib/browser/shell/application-shell";
import { DiffUris } from "@theia/core/lib/browser/diff-uris";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import { InMemoryResources, MEMORY_TEXT } from "@theia/core/lib/common/resource";
import { URI } from "@theia/core/lib/common/uri";
import { inject, injectable } from "@theia/core/shared/inversify";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import { type HookAction, type HookPlan, type HookState, PatchbayServer } from "../../common/protocol.ts";
import { visibleText } from "../../common/visible-text.ts";
import { fileUriOf } from "../documents/selection-text.ts";
import { Lists } from "../surfaces/lists.ts";
import { Notices } from "../surfaces/notices.ts";

type Change = Extract<HookPlan, { readonly kind: "change" }>;

/** "Install Hook…" and "Remove Hook…": the user sees what would change in the agent's settings, and says yes or no. */
@injectable()
export class Hooks {
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(Lists)
  protected readonly lists: Lists;
  @inject(Notices)
  protected readonly notices: Notices;
  @inject(EditorManager)
  protected readonly editors: EditorManager;
  @inject(InMemoryResources)
  protected readonly texts: InMemoryResources;
  @inject(ApplicationShell)
  protected readonly shell: ApplicationShell;

  async change(action: HookAction): Promise<void> {
    const state = await this.choose(action);
    if (state === undefined) return;
    const plan = await this.server.planHook(state.agent, action);
    if (plan.kind === "refused") this.notices.warn(plan.reason);
    if (plan.kind === "nothing") this.notices.info(nothingWords(action, state.agentName));
    if (plan.kind !== "change") return;
    const close = await this.show(plan);
    try {
      if (!(await this.isWanted(action, state.agentName, plan.file))) {
        this.notices.info(nls.localize("patchbay/hook/nothing", "Nothing was written."), { timeout: 5000 });
        return;
      }
      const failure = await this.server.applyHook();
      if (failure === undefined) this.notices.info(doneWords(action, state));
      else this.notices.error(failure);
    } finally {
      await close();
    }
  }

  protected async choose(action: HookAction): Promise<HookState | undefined> {
    const all = await this.server.hooks();
    const offered = action === "install" ? all : all.filter(({ presence }) => presence !== "absent");
    if (offered.length === 0) {
      this.notices.info(nls.localize("patchbay/hook/none", "No hook is installed."));
      return undefined;
    }
    const items = offered.map((state) => ({
      label: state.agentName,
      description: presenceWords(state),
      detail: state.file,
      state,
    }));
    return (await this.lists.choose(items, nls.localize("patchbay/hook/which", "Which agent?")))?.state;
  }

  protected async isWanted(action: HookAction, agentName: string, file: string): Promise<boolean> {
    const yes =
      action === "install"
        ? nls.localize("patchbay/hook/install", "Install the hook of {0}", agentName)
        : nls.localize("patchbay/hook/remove", "Remove the hook of {0}", agentName);
    const items = [
      { label: yes, description: nls.localize("patchbay/hook/write", "write this to {0}", file), isWanted: true },
      { label: nls.localize("patchbay/hook/cancel", "Change nothing"), isWanted: false },
    ];
    const question = nls.localize("patchbay/hook/question", "The editor shows the change.");
    return (await this.lists.choose(items, question, { staysOpen: true }))?.isWanted === true;
  }

  /** Shows what would become of the file; what comes back takes it away. */
  protected async show({ file, before, after }: Change): Promise<() => Promise<void>> {
    const side = (name: string): URI => fileUriOf(file).withScheme(MEMORY_TEXT).withQuery(`patchbay-${name}`);
    const left = this.texts.add(side("before"), before);
    const right = this.texts.add(side("after"), after);
    const title = nls.localize("patchbay/hook/title", "{0}: what would change", file);
    const widget = await this.editors.open(DiffUris.encode(left.uri, right.uri, visibleText(title)), {
      mode: "activate",
    });
    return async () => {
      await this.shell.closeWidget(widget.id, { save: false });
      left.dispose();
      right.dispose();
    };
  }
}

function presenceWords({ presence }: HookState): string {
  switch (presence) {
    case "installed":
      return nls.localize("patchbay/hook/installed", "installed");
    case "partly":
      return nls.localize("patchbay/hook/partly", "installed in part: install it again");
    case "absent":
      return nls.localize("patchbay/hook/absent", "not installed");
    case "unreadable":
      return nls.localize("patchbay/hook/unreadable", "its settings cannot be read");
  }
}

function nothingWords(action: HookAction, agentName: string): string {
  return action === "install"
    ? nls.localize("patchbay/hook/already", "The hook of {0} is already installed.", agentName)
    : nls.localize("patchbay/hook/notThere", "The hook of {0} is not installed.", agentName);
}

function doneWords(action: HookAction, { agentName, consent }: HookState): string {
  if (action === "remove") {
    return nls.localize(
      "patchbay/hook/removed",
      "The hook of {0} is removed. Agents that are running keep it until they end.",
      agentName,
    );
  }
  const done = nls.localize(
    "patchbay/hook/done",
    "The hook of {0} is installed: its changes are reviewed here in every mode, unless the preference patchbay.reviews says otherwise. Agents that are running need a restart.",
    agentName,
  );
  if (consent !== "at-next-start") return done;
  const asks = nls.localize(
    "patchbay/hook/asksAtNextStart",
    "{0} asks at its next start whether you trust this hook, and does not run it until you do.",
    agentName,
  );
  return `${done} ${asks}`;
}
