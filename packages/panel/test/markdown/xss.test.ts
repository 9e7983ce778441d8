// @vitest-environment jsdom
import { afterEach, describe, expect, it } from "vitest";
import { TestPanel } from "../support/panel.tsx";

const attacks = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "text <b onclick=alert(1)>bold</b> <svg/onload=alert(1)>",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<a href='javascript:alert(1)'>x</a>",
  "<style>@import 'https://evil.test'</style>",
  "<form action=https://evil.test><input name=a></form>",
  "<details open ontoggle=alert(1)>",
  "<math><mtext></mtext><mglyph><style><img src=x onerror=alert(1)>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt&colon;alert(1))",
  "[x](java&#10;script:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](<javascript:alert(1)>)",
  "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
  "[x](vbscript:msgbox)",
  "[x](command:workbench.action.files.newUntitledFile)",
  "[x](vscode://x.y/z)",
  "[x](file:///etc/passwd)",
  "![x](javascript:alert(1))",
  "![x](https://evil.test/pixel.png)",
  '![x](https://evil.test/a.png "onerror=alert(1)")',
  "<javascript:alert(1)>",
  "[x]: javascript:alert(1)\n\n[x]",
  "`<script>alert(1)</script>`",
  "```html\n<script>alert(1)</script>\n```",
  '```"><img src=x onerror=alert(1)>\ncode\n```',
  "| <script>alert(1)</script> |\n| - |\n| <img src=x onerror=alert(1)> |",
  "# <img src=x onerror=alert(1)>",
  "- <object data='javascript:alert(1)'>\n- [ ] <embed src=x>",
  "> <base href=https://evil.test>",
  '<a name="x" href=" &#14; javascript:alert(1)">x</a>',
  "\u0000<script>alert(1)</script>",
  '[a](https://example.com" onmouseover="alert(1))',
  "https://example.com/<script>alert(1)</script>",
] as const;

const allowedElements = new Set(
  "a aside blockquote br button circle code dd del details div dl dt em fieldset figcaption figure form h1 h2 h3 h4 h5 h6 header hr img input label legend li main ol p path pre section span strong summary svg table tbody td textarea th thead tr ul".split(
    " ",
  ),
);

let panel: TestPanel | undefined;

afterEach(() => panel?.close());

function inspect(root: HTMLElement): readonly string[] {
  return Array.from(root.querySelectorAll("*")).flatMap((element) => {
    const name = element.localName;
    const wrong = allowedElements.has(name) ? [] : [`<${name}>`];
    for (const { name: attribute, value } of Array.from(element.attributes)) {
      if (attribute.startsWith("on")) wrong.push(`${name} ${attribute}`);
      if (attribute === "href" && !/^https?:\/\//u.test(value)) wrong.push(`${name} href=${value}`);
      if (attribute === "src" && !value.startsWith("data:image/")) wrong.push(`${name} src=${value}`);
      if (["srcdoc", "action", "formaction", "style", "srcset", "data"].includes(attribute))
        wrong.push(`${name} ${attribute}`);
    }
    return wrong;
  });
}

describe("text that tries to be more than text", () => {
  it.each(attacks)("stays text wherever it comes from: %j", async (text) => {
    panel = await TestPanel.show(
      [
        {
          kind: "prompt",
          id: "p",
          at: 0,
          blocks: [
            { type: "text", text },
            { type: "mention", path: text },
          ],
        },
        { kind: "message", id: "m", at: 0, text, isComplete: true },
        { kind: "message", id: "n", at: 0, text, isComplete: false },
        { kind: "thought", id: "t", at: 0, text, isComplete: true },
        {
          kind: "tool",
          id: "x",
          at: 0,
          tool: "edit",
          name: text,
          title: text,
          state: "done",
          command: text,
          input: text,
          output: text,
          changes: [{ path: text, before: text, after: `${text}\nmore` }],
        },
        { kind: "plan", id: "l", at: 0, steps: [{ text, state: "running" }] },
        { kind: "notice", id: "o", at: 0, level: "error", text, detail: text },
        {
          kind: "question",
          id: "q",
          at: 0,
          question: {
            type: "permission",
            toolId: "x",
            title: text,
            reason: text,
            command: text,
            input: text,
            change: { path: text, after: text, isEditable: true },
            choices: [{ id: "y", name: text, kind: "allow-always", rule: text }],
          },
        },
        { kind: "question", id: "r", at: 0, question: { type: "plan", plan: text, choices: [] } },
        {
          kind: "question",
          id: "s",
          at: 0,
          question: {
            type: "form",
            message: text,
            fields: [
              {
                id: "f",
                label: text,
                description: text,
                input: "one-of",
                isRequired: true,
                options: [{ value: text, label: text, description: text }],
              },
            ],
          },
        },
      ],
      { title: text, commands: [{ name: text, description: text }] },
    );
    await panel.do(() => {
      for (const button of panel?.root.querySelectorAll<HTMLButtonElement>("button[aria-expanded=false]") ?? []) {
        button.click();
      }
    });
    expect(inspect(panel.root)).toEqual([]);
    expect(panel.root.querySelector("h1")?.title).toBe(text);
  });
});

describe("Markdown", () => {
  it("is drawn as elements", async () => {
    panel = await TestPanel.show([
      {
        kind: "message",
        id: "m",
        at: 0,
        isComplete: true,
        text: "# Title\n\nA **b** *c* ~~d~~ `e` &amp; &lt;f&gt;\n\n- [x] done\n\n| a |\n| - |\n| 1 |\n\n```ts\nlet g;\n```",
      },
    ]);
    const { root } = panel;
    const content = (selector: string): string | undefined => root.querySelector(`.markdown ${selector}`)?.textContent;
    expect(content("h3")).toBe("Title");
    expect(content("p")).toBe("A b c d e & <f>");
    expect(content("strong")).toBe("b");
    expect(content("li")).toBe("done");
    expect(content("td")).toBe("1");
    expect(content("pre")).toBe("let g;");
  });

  it("opens links through the host alone", async () => {
    panel = await TestPanel.show([
      { kind: "message", id: "m", at: 0, isComplete: true, text: "[w](https://example.com/a) [f](src/a.ts#L3)" },
    ]);
    const link = panel.one("a", HTMLAnchorElement);
    expect(link.title).toBe("https://example.com/a");
    const click = new MouseEvent("click", { bubbles: true, cancelable: true });
    await panel.do(() => void link.dispatchEvent(click));
    expect(click.defaultPrevented).toBe(true);
    await panel.press("f");
    expect(panel.heard("open-link")).toEqual([{ type: "open-link", href: "https://example.com/a" }]);
    expect(panel.heard("open-file")).toEqual([{ type: "open-file", conversation: "c1", path: "src/a.ts", line: 3 }]);
  });
});
