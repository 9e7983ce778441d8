import type { Presence } from "@patchbay/core/presences";
import { l10n } from "vscode";
import { fileNameOf } from "../surfaces/texts.ts";

/** What it does, in a few words. */
export function presenceWords({ state, since, waitsFor }: Presence): string {
  switch (state) {
    case "waiting": {
      const files = waitsFor.map(fileNameOf);
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
  return new Date(milliseconds).toLocaleTimeString();
}
