import { join } from "node:path";

/** As much of VS Code's extension context as companions use. */
export interface StandInContext {
  readonly subscriptions: { dispose(): unknown }[];
  readonly [name: string]: unknown;
}

export function createExtensionContext(options: {
  readonly fileUri: (path: string) => unknown;
  readonly home: string;
  readonly extensionFolder: string;
  readonly manifest: unknown;
}): StandInContext {
  const { fileUri, home, extensionFolder, manifest } = options;
  const variables = new Map<string, string>();
  return {
    subscriptions: [],
    storageUri: fileUri(join(home, "storage")),
    globalStorageUri: fileUri(join(home, "storage")),
    extensionUri: fileUri(extensionFolder),
    extensionPath: extensionFolder,
    extensionMode: 1,
    extension: { packageJSON: manifest },
    workspaceState: createState(),
    globalState: createState(),
    environmentVariableCollection: {
      description: undefined,
      replace: (name: string, value: string) => variables.set(name, value),
      get: (name: string) => {
        const value = variables.get(name);
        return value === undefined ? undefined : { value };
      },
      delete: (name: string) => variables.delete(name),
      clear: () => variables.clear(),
      forEach: (callback: (name: string) => void) => variables.forEach((_value, name) => callback(name)),
    },
  };
}

function createState(): object {
  const values = new Map<string, unknown>();
  return {
    get: (key: string): unknown => values.get(key),
    update: async (key: string, value: unknown) => void values.set(key, value),
  };
}
