// @vitest-environment jsdom
import { SimulatedTheia } from "../../support/simulated-theia.ts";
import { nls } from "@theia/core/lib/common/nls";
import { afterEach, describe, expect, it } from "vitest";
import { messageText } from "../../../src/browser/surfaces/texts.ts";
import { WindowClient } from "../../../src/browser/window/window-client.ts";
import { settle } from "../../support/backend.ts";

afterEach(() => {
  nls.localization = undefined;
});

const translations = {
  "patchbay/message/{agent} has ended.": "{agent} ist beendet.",
  "patchbay/message/{agent} proposes a change to {path}, which is outside this workspace. Show it?":
    "{agent} schlägt eine Änderung an {path} außerhalb dieses Arbeitsbereichs vor. Anzeigen?",
  "patchbay/message/Show": "Anzeigen",
  "patchbay/message/Do Not Show": "Nicht anzeigen",
};

describe("a message of core", () => {
  it("is shown in the user's language with its values, and its buttons answer all the same", async () => {
    nls.localization = { languageId: "de", translations };
    const theia = new SimulatedTheia();
    const values = { agent: "Claude Code", path: "/ws/{agent}.ts" };
    const text = `Claude Code proposes a change to ${values.path}, which is outside this workspace. Show it?`;
    const answer = theia.container
      .get(WindowClient)
      .showMessage({ id: 1, code: "outside", severity: "warning", text, values, actions: ["Show", "Do Not Show"] });
    await settle();
    const shown = "Claude Code schlägt eine Änderung an /ws/{agent}.ts außerhalb dieses Arbeitsbereichs vor. Anzeigen?";
    expect(theia.messages.said).toEqual([`warn: ${messageText(shown)}`]);
    theia.messages.answer(messageText(shown), "Nicht anzeigen");
    expect(await answer).toBe("Do Not Show");
  });
});
