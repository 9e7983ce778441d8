import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { inject, injectable } from "@theia/core/shared/inversify";
import type {
  IShellTerminalServerOptions,
  ShellTerminalServerProxy,
} from "@theia/terminal/lib/common/shell-terminal-protocol";
import { preferenceNames, preferenceOf } from "../../common/preferences.ts";
import { WindowAttachment } from "./window-attachment.ts";

/** How long a new terminal waits for the companion to listen, in milliseconds. A terminal without our variables is better than none. */
const patienceMs = 3000;

/** Puts the variables of this window's companion into the terminals that this window opens. */
@injectable()
export class TerminalEnvironment {
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(PreferenceService)
  protected readonly preferences: PreferenceService;

  /** What a terminal is to be created with. `strictEnv` means: this environment and nothing else, so it stays as it is. */
  async extend(options: IShellTerminalServerOptions): Promise<IShellTerminalServerOptions> {
    const wanted = preferenceOf(this.preferences, preferenceNames.terminalEnvironment, true, options.rootURI);
    if (!wanted || options.strictEnv === true || options.isPseudo === true) return options;
    await this.listening();
    return { ...options, env: { ...this.attachment.status.environment, ...options.env } };
  }

  protected async listening(): Promise<void> {
    if (this.attachment.status.state.kind !== "starting") return;
    await new Promise<void>((resolve) => {
      const listener = this.attachment.onDidChangeStatus((status) => {
        if (status.state.kind !== "starting") done();
      });
      const timer = window.setTimeout(() => done(), patienceMs);
      const done = (): void => {
        listener.dispose();
        window.clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Wraps the window's door to the terminal server: everything passes, and `create` gets our variables. */
export function extendTerminalServer(
  server: ShellTerminalServerProxy,
  extend: (options: IShellTerminalServerOptions) => Promise<IShellTerminalServerOptions>,
): ShellTerminalServerProxy {
  const create = async (options: IShellTerminalServerOptions): Promise<number> =>
    await server.create(await extend(options));
  return new Proxy(server, {
    // The server is itself a proxy that makes up its members: "then" and the like must stay what it says they are.
    get: (target, name) => (name === "create" ? create : Reflect.get(target, name)),
  });
}
