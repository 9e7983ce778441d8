import { commands, type Disposable, type OutputChannel } from "vscode";

/** "Show Log" and "Show Connections". */
export function registerShow(channel: OutputChannel): Disposable[] {
  return [
    commands.registerCommand("patchbay.showLog", () => channel.show(true)),
    commands.registerCommand("patchbay.showConnections", async () => {
      await commands.executeCommand("patchbay.connections.focus");
    }),
  ];
}
