import { describe, expect, it } from "vitest";
import { inlinePanelDocument, panelDocument } from "../../src/messages/index.ts";

const parts = {
  script: "https://host.test/panel.js",
  style: "https://host.test/panel.css",
  nonce: "0123456789abcdef0123456789abcdef",
  source: "https://host.test",
  locale: "en",
} as const;

describe("the page's document", () => {
  it("lets in scripts by nonce alone, and nothing from elsewhere", () => {
    const html = panelDocument(parts);
    const policy = /Content-Security-Policy" content="([^"]*)"/u.exec(html)?.[1] ?? "";
    expect(policy).toContain("default-src &#39;none&#39;");
    expect(policy).toContain(`script-src &#39;nonce-${parts.nonce}&#39;;`);
    expect(policy).not.toMatch(/unsafe|connect-src|\*/u);
  });

  it.each(['"><script>alert(1)</script>', "'; onload='alert(1)", "</style><script>alert(1)</script>"])(
    "takes no markup from what it is made of: %s",
    (text) => {
      const html = panelDocument({ ...parts, script: text, style: text, locale: text, theme: `--vscode-x:${text};` });
      expect(html.match(/<script/gu)).toHaveLength(1);
      expect(html).not.toMatch(/<[^>]*"[^"]*"\s+on\w+=/u);
    },
  );

  it("takes no nonce that could be guessed or end the policy", () => {
    expect(() => panelDocument({ ...parts, nonce: "1" })).toThrow();
    expect(() => panelDocument({ ...parts, nonce: "0123456789abcdef' 'unsafe-inline" })).toThrow();
  });

  it("stands in one piece for a frame that can load nothing, whatever its texts hold", () => {
    const scriptText = 'go("</script><script>", "<!--", a < b)';
    const styleText = "a::after { content: '</style><script>' }";
    const html = inlinePanelDocument({ scriptText, styleText, nonce: parts.nonce, locale: "en" });
    const policy = /Content-Security-Policy" content="([^"]*)"/u.exec(html)?.[1] ?? "";
    expect(policy).toContain("font-src &#39;none&#39;");
    expect(policy).toContain(`style-src &#39;nonce-${parts.nonce}&#39;`);
    expect(policy).not.toMatch(/undefined|unsafe|https|\*/u);
    expect(html.match(/<script/gu)).toHaveLength(2);
    expect(html.match(/<\/script>/gu)).toHaveLength(1);
    expect(html.match(/<\/style>/gu)).toHaveLength(1);
    expect(html).toContain(String.raw`go("\x3C/script>\x3Cscript>", "\x3C!--", a < b)`);
  });
});
