import { agents, type DiscoveryFacts, isInContainer, type Platform, type RunningEditor } from "@patchbay/core";

/**
 * The variables that the editor itself puts into its own terminals, made by the same code from what its records tell
 * (docs/protocols). Never a token: agents take it from the record.
 */
export async function editorEnvironment(
  platform: Platform,
  editor: RunningEditor,
): Promise<Readonly<Record<string, string>>> {
  const inContainer = await isInContainer(platform);
  const environment: Record<string, string> = {};
  for (const dialect of agents) {
    const record = editor.records.find(({ agent }) => agent === dialect.id);
    if (record === undefined) continue;
    const facts: DiscoveryFacts = {
      port: editor.port,
      token: "",
      folders: record.folders,
      realFolders: record.folders,
      identity: {
        name: editor.editorId ?? "",
        displayName: editor.name,
        version: "",
        pids: record.pid === undefined ? [] : [record.pid],
      },
      platform,
      temporaryDirectory: platform.process.temporaryDirectory,
      homeDirectory: platform.process.homeDirectory,
      environment: (name) => platform.process.environment(name),
      inContainer,
    };
    Object.assign(environment, dialect.environment(facts));
  }
  return environment;
}
