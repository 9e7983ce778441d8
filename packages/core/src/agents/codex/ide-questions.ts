import type { EditorContext, SelectedText } from "../../context/model.ts";
import type { ContextQuestions } from "../context-questions.ts";
import { memberOf, textOf } from "../hook.ts";

/** Which of the answers is ours. */
const ownName = "patchbay";

/** What Codex CLI asks after its user has typed `/ide`: docs/protocols/codex.md. */
export const codexQuestions: ContextQuestions = {
  place: ({ platform, uid, temporaryDirectory }) =>
    // Its pipe on Windows was not seen.
    platform === "win32"
      ? undefined
      : { root: temporaryDirectory, directories: ["codex-ipc"], name: `ipc-${uid}.sock` },
  reply: async (message, contextOf) => {
    const [requestId, method] = [textOf(message, "requestId"), textOf(message, "method")];
    if (textOf(message, "type") !== "request" || requestId === undefined || method === undefined) return undefined;
    const answer = { type: "response", requestId, method };
    const refused = { ...answer, resultType: "error", error: "no-client-found" };
    const succeeded = (result: unknown) => ({ ...answer, resultType: "success", handledByClientId: ownName, result });
    // Of versions before 0.169.
    if (method === "initialize") return succeeded({ clientId: ownName });
    const folder = textOf(memberOf(message, "params"), "workspaceRoot");
    if (method !== "ide-context" || folder === undefined) return refused;
    const context = await contextOf(folder);
    return context === undefined ? refused : succeeded({ ideContext: ideContextOf(context, folder) });
  },
};

function ideContextOf({ files, active }: EditorContext, folder: string): Readonly<Record<string, unknown>> {
  const openTabs = files.map(({ path }) => fileOf(path, folder));
  if (active === undefined) return { openTabs };
  const { selection } = active;
  const all = [selection, ...(active.otherSelections ?? [])].filter((one) => one !== undefined);
  const cursor = { start: active.cursor, end: active.cursor };
  return {
    activeFile: {
      ...fileOf(active.path, folder),
      selection: selection?.range ?? cursor,
      activeSelectionContent: textOfAll(all),
      selections: all.length === 0 ? [cursor] : all.map(({ range }) => range),
    },
    openTabs,
  };
}

function textOfAll(selections: readonly SelectedText[]): string {
  return selections.map(({ text }) => text).join("\n");
}

/** Named from the folder, as its model is told it. */
function fileOf(path: string, folder: string): Readonly<Record<string, string>> {
  const root = folder.endsWith("/") ? folder : `${folder}/`;
  return {
    label: path.slice(path.lastIndexOf("/") + 1),
    path: path.startsWith(root) ? path.slice(root.length) : path,
    fsPath: path,
  };
}
