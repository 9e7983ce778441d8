import { type Presence, shownCommand } from "@patchbay/core/presences";
import { env } from "vscode";
import { l10n } from "@patchbay/languages/spoken";
import { fileNameOf, shortened } from "../surfaces/texts.ts";

/** What it does, in a few words. */
export function presenceWords({ state, since, waitsFor, commands }: Presence): string {
  switch (state) {
    case "waiting": {
      const lines = commands.map(({ command }) => shortened(shownCommand(command)));
      const files = [...waitsFor.map(fileNameOf), ...lines];
      return files.length === 0 ? l10n.t("waits for you") : l10n.t("waits for you: {0}", files.join(", "));
    }
    case "working":
      return l10n.t("working");
    case "idle":
      return l10n.t("idle since {0}", timeText(since));
    case "ended":
      return l10n.t("ended at {0}", timeText(since));
    case "connecting":
      return l10n.t("connecting");
    case "connected":
      return l10n.t("connected");
    case "away":
      return l10n.t("away, may reconnect");
  }
}

export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toLocaleTimeString(env.language);
}
