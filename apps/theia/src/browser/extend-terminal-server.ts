import type {
  IShellTerminalServerOptions,
  ShellTerminalServerProxy,
} from "@theia/terminal/lib/common/shell-terminal-protocol";

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
