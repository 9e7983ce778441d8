import type { Companion } from "@patchbay/core";
import { CodeAction, CodeActionKind, type Disposable, languages } from "vscode";
import { l10n } from "@patchbay/languages/spoken";

/** "Send Problem to Agent" among the quick fixes of a problem, while there is an agent that could be sent one. */
export function registerProblemActions(companion: Pick<Companion, "activities" | "sessions">): Disposable {
  return languages.registerCodeActionsProvider(
    { scheme: "file" },
    {
      provideCodeActions: ({ uri }, _range, { diagnostics }) => {
        if (companion.sessions.length + companion.activities.length === 0) return [];
        return diagnostics.map((diagnostic) => {
          const action = new CodeAction(l10n.t("Send Problem to Agent"), CodeActionKind.QuickFix);
          action.diagnostics = [diagnostic];
          action.command = { title: action.title, command: "patchbay.sendProblem", arguments: [uri, diagnostic] };
          return action;
        });
      },
    },
    { providedCodeActionKinds: [CodeActionKind.QuickFix] },
  );
}
