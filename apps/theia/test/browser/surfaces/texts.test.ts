import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { examineEditor } from "@patchbay/core/diagnosis";
import { LabelParser } from "@theia/core/lib/browser/label-parser";
import markdownit from "@theia/core/shared/markdown-it";
import { describe, expect, it } from "vitest";
import { visibleText } from "../../../src/common/visible-text.ts";
import { diagnosisText } from "../../../src/browser/contributions/diagnosis.ts";
import { OpenProposal } from "../../../src/browser/review/open-proposal.ts";
import { shownItem } from "../../../src/browser/surfaces/lists.ts";
import { labelText, messageText, terminalText } from "../../../src/browser/surfaces/texts.ts";
import { hostileNames, unseenIn } from "./hostile-names.ts";

const sources = fileURLToPath(new URL("../../../src/browser/", import.meta.url));
const files = readdirSync(sources, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name, text: readFileSync(join(sources, name), "utf8") }));

/** Every sentence that the edition can say, as it stands in its sources. */
const sentences = files.flatMap(({ text }) =>
  Array.from(
    text.matchAll(/nls\.localize\(\s*"[^"]+",\s*(["'])((?:\\.|(?!\1).)*)\1/gu),
    ([, , sentence = ""]) => sentence,
  ),
);

function withName(sentence: string, name: string): string {
  return sentence.replaceAll(/\{\d\}/gu, () => name);
}

/** As Theia's notifications are rendered. */
const engine = markdownit({ html: false });

function plainTextOf(html: string): string {
  return html.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

const iconsIn = (text: string): readonly unknown[] =>
  new LabelParser().parse(text).filter((part) => typeof part !== "string");

describe("what comes from outside", () => {
  it("is put into many sentences", () => {
    expect(sentences.length).toBeGreaterThan(60);
    expect(sentences.filter((sentence) => sentence.includes("{0}")).length).toBeGreaterThan(15);
  });

  it.each(hostileNames)("is text in every notification, and the text that it is: %j", (name) => {
    for (const sentence of sentences) {
      const said = withName(sentence, name);
      const html = engine.renderInline(messageText(said));
      expect(html).not.toMatch(/<\/?[a-z]/u);
      expect(plainTextOf(html)).toBe(visibleText(said));
    }
  });

  it.each(hostileNames)("draws no icon in the status bar and in lists: %j", (name) => {
    for (const sentence of sentences) expect(iconsIn(labelText(withName(sentence, name)))).toEqual([]);
    const { label, description, detail } = shownItem({ icon: "plug", label: name, description: name, detail: name });
    expect(iconsIn(label)).toHaveLength(1);
    expect([description, detail].flatMap((text) => iconsIn(text ?? ""))).toEqual([]);
  });

  it.each(hostileNames)("is seen as it is in tabs, tooltips and dialogs: %j", (name) => {
    expect(unseenIn(visibleText(name))).toEqual([]);
    const request = { id: "1", agentName: name, path: `/w/${name}`, kind: "change", proposedText: "" } as const;
    const file = { originalText: "", unsaved: false, standing: "unchanged" } as const;
    expect(unseenIn(new OpenProposal({ ...request, ...file, agentPresent: true }).title)).toEqual([]);
  });

  it.each(hostileNames)("makes no line of its own in the diagnosis: %j", (name) => {
    const page = (text: string): string =>
      diagnosisText(
        examineEditor({
          state: { kind: "listening", port: 1, warnings: [text] },
          folders: [text],
          sessions: [
            {
              id: "s",
              dialect: "gemini",
              agentName: "Gemini CLI",
              version: text,
              state: "connected",
              since: 0,
              openProposals: 0,
            },
          ],
          trusted: true,
          sharing: true,
          terminalEnvironment: true,
        }),
      );
    expect(page(name).split("\n")).toHaveLength(page("x").split("\n").length);
    expect(unseenIn(page(name).replaceAll("\n", ""))).toEqual([]);
  });

  it("is typed into no terminal where it is more than a line", () => {
    expect(terminalText("gemini --model x")).toBe("gemini --model x");
    expect(terminalText("gemini\nrm -r ~")).toBeUndefined();
    expect(terminalText("gemini\u001b[200~")).toBeUndefined();
  });

  it("comes to a person through the surfaces alone", () => {
    const doors: Readonly<Record<string, readonly string[]>> = {
      MessageService: ["surfaces/notices.ts"],
      QuickInputService: ["surfaces/lists.ts"],
      setElement: ["contributions/status-bar.ts"],
      "browser/dialogs": ["surfaces/careful-dialogs.ts", "surfaces/review-dialogs.ts"],
      "DiffUris\\.encode": [
        "contributions/hooks.ts",
        "contributions/turn-diffs.ts",
        "panel/panel-actions.ts",
        "review/proposal-resources.ts",
      ],
      "title\\.(?:label|caption)": [
        "contributions/diagnosis-widget.ts",
        "inbox/inbox-widget.ts",
        "panel/panel-widget.ts",
        "review/proposal-editors.ts",
      ],
      "(?:innerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|MarkdownRenderer|MarkdownString)": [],
    };
    for (const [door, allowed] of Object.entries(doors)) {
      const through = files
        .filter(({ text }) => new RegExp(String.raw`\b${door}\b`, "u").test(text))
        .map(({ name }) => name);
      expect([door, through.toSorted()]).toEqual([door, allowed]);
    }
  });
});
