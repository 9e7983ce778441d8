import { type Companion, type KeptReason, type KeptTextSaving, messageOf } from "@patchbay/core";
import { escapeLine, escapeText } from "../terminal/escape-text.ts";
import { pathInFolder } from "./path-in-folder.ts";

export interface KeptCommandOptions {
  readonly companion: Pick<Companion, "keptTexts" | "readKeptText" | "saveKeptText" | "discardKeptText">;
  readonly folder: string;
  readonly print: (text: string) => void;
}

const usage = "Type: kept show <number>, kept save <number>, kept discard <number>";

/** `kept`: the texts that no agent took. Resolves when it has printed what became of it. */
export async function runKeptCommand(argument: string, options: KeptCommandOptions): Promise<void> {
  const { companion, folder, print } = options;
  const [word = "", number = "", ...more] = argument.split(/\s+/u);
  const texts = companion.keptTexts;
  if (word === "") {
    if (texts.length === 0) return print("No text is kept.");
    for (const [index, { agentName, path, reason }] of texts.entries()) {
      print(`${index + 1}  ${pathInFolder(path, folder)}: ${whyKept(reason, escapeLine(agentName))}`);
    }
    return print(usage);
  }
  const chosen = more.length === 0 ? texts[Number(number) - 1] : undefined;
  if (!["show", "save", "discard"].includes(word)) return print(usage);
  if (chosen === undefined)
    return print(number === "" ? usage : `There is no kept text ${escapeLine(number)}. Type: kept`);
  const name = pathInFolder(chosen.path, folder);
  try {
    if (word === "show")
      return print(escapeText((await companion.readKeptText(chosen.id)) ?? "It is not kept any more."));
    if (word === "save") return print(await saveKept(chosen.id, chosen.path, options));
    const done = await companion.discardKeptText(chosen.id);
    print(done ? `Your text for ${name} was discarded.` : "It is not kept any more.");
  } catch (error) {
    print(escapeText(messageOf(error)));
  }
}

/** Why a text has lost its agent, safe to print where `agent` is. */
export function whyKept(reason: KeptReason, agent: string): string {
  switch (reason) {
    case "agent-exited":
      return `${agent} has exited`;
    case "superseded":
      return `${agent} made a newer proposal`;
    case "answered-in-terminal":
      return `${agent} was answered in its own terminal`;
    case "not-delivered":
      return `${agent} exited before it had your answer`;
    case "not-written":
      return `${agent} did not write it`;
  }
}

/** Saves a kept text to its file; resolves with what became of it, as a sentence. */
export async function saveKept(
  id: string,
  path: string,
  { companion, folder }: Pick<KeptCommandOptions, "companion" | "folder">,
): Promise<string> {
  return whatWasSaved(await companion.saveKeptText(id), pathInFolder(path, folder));
}

function whatWasSaved(saving: KeptTextSaving | undefined, name: string): string {
  if (saving === undefined) return "It is not kept any more.";
  switch (saving.kind) {
    case "saved":
      return saving.merged
        ? `Your text was saved to ${name}, with what had been written there meanwhile.`
        : `Your text was saved to ${name}.`;
    case "conflict":
      return `${name} has changed in the same lines meanwhile, so nothing was written. Your text is still kept.`;
    case "failed":
      return `Nothing was written to ${name}: ${escapeLine(saving.reason)} Your text is still kept.`;
  }
}
