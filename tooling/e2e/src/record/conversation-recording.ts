import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Children, SessionHost } from "@patchbay/conversations";
import { LineReader } from "@patchbay/core/json-input";
import type { ConversationScenario, RecordedLine } from "@patchbay/testkit";
import type { ModelServer } from "../models/model-server.ts";
import type { Lab } from "../support/lab.ts";

/** An editor in which nothing is open. */
export function diskHost(lines: RecordedLine[]): SessionHost {
  return {
    readText: async (path) => {
      const text = await readFile(path, "utf8").catch(() => undefined);
      lines.push({ dir: "host", body: { path, text } });
      return text;
    },
    writeText: async () => await Promise.reject(new Error("The agent writes files itself.")),
    saveIfDirty: async () => await Promise.resolve(false),
    problems: async () => await Promise.resolve([]),
    mayRead: () => true,
    locate: async () => await Promise.resolve({ isInside: true, isShared: true }),
  };
}

/** Children whose words, both ways, are noted. */
export function recording(children: Children, lines: RecordedLine[]): Children {
  return {
    endAllSync: () => children.endAllSync(),
    start: async (request, listeners) => {
      const heard = new LineReader({ onLine: (line) => lines.push({ dir: "in", body: JSON.parse(line) }) });
      const child = await children.start(request, {
        ...listeners,
        onOutput: (chunk) => {
          heard.push(chunk);
          listeners.onOutput(chunk);
        },
      });
      return {
        pid: child.pid,
        endInput: () => child.endInput(),
        noteStarted: () => child.noteStarted(),
        signalAll: (signal) => child.signalAll(signal),
        isAnyAlive: () => child.isAnyAlive(),
        write: async (text) => {
          lines.push({ dir: "out", body: JSON.parse(text) });
          return await child.write(text);
        },
      };
    },
  };
}

/** What files hold that they are not to hold. */
export async function wrongFiles({ results }: ConversationScenario, lab: Lab): Promise<readonly string[]> {
  const found = await Promise.all(
    Object.entries(results ?? {}).map(async ([name, expected]) => {
      const text = await readFile(join(lab.workspace, name), "utf8").catch(() => undefined);
      return text === expected ? [] : [`${name} holds ${JSON.stringify(text)}, not ${JSON.stringify(expected)}`];
    }),
  );
  return found.flat();
}

/** What the model was not told. */
export function notTold({ told }: ConversationScenario, model: ModelServer): readonly string[] {
  return (told ?? [])
    .filter((text) => !model.conversation.some((request) => request.includes(text)))
    .map((text) => `the model was not told ${JSON.stringify(text)}`);
}
