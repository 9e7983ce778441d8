import type { Companion, Disposable } from "@patchbay/core";
import type { Vim } from "../vim/vim.ts";

/** Keeps the companion's variables in the editor's environment, where each new terminal gets them from. */
export function keepTerminalEnvironment(
  vim: Pick<Vim, "notify">,
  companion: Pick<Companion, "environment" | "onDidChangeEnvironment">,
): Disposable {
  let set: Readonly<Record<string, string>> = {};
  const put = (variables: Readonly<Record<string, string>>): void => {
    const gone = Object.keys(set).filter((name) => !(name in variables));
    set = variables;
    if (gone.length > 0 || Object.keys(variables).length > 0) vim.notify("patchbay#environment", [variables, gone]);
  };
  put(companion.environment);
  return companion.onDidChangeEnvironment(() => put(companion.environment));
}
