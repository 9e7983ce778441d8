/** What a host's document is made of. Addresses are as the page can load them. */
export interface PanelDocument {
  readonly script: string;
  readonly style: string;
  /** A new one for each document: at least 128 random bits, in Base64 or hexadecimal. */
  readonly nonce: string;
  /** Where styles, fonts and pictures may come from, as in a policy: `webview.cspSource`, or an origin. */
  readonly source: string;
  /** BCP 47. */
  readonly locale: string;
  /** In an editor's tab instead of a side bar: it takes the editor's background. */
  readonly isInEditor?: boolean;
  /** Custom properties of the theme, where the editor does not set them itself: `--vscode-…:…;`. */
  readonly theme?: string;
  /** The same as a whole sheet, of ours. */
  readonly sheet?: string;
  /** Where the page may connect to, as in a policy; absent: nowhere. */
  readonly connect?: string;
  /** A script that connects the page with its host, where the editor does not. */
  readonly bridge?: string;
  /** What that script says, as `data-` attributes of its element. */
  readonly texts?: Readonly<Record<string, string>>;
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escape = (text: string): string => text.replaceAll(/[&<>"']/gu, (sign) => escapes[sign] ?? sign);

/** The policy of the page: scripts by nonce alone, nothing from elsewhere, no string that becomes a script. */
export function panelPolicy({ nonce, source, connect }: Pick<PanelDocument, "nonce" | "source" | "connect">): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source} 'nonce-${nonce}'`,
    `img-src ${source} data: blob:`,
    `font-src ${source}`,
    ...(connect === undefined ? [] : [`connect-src ${connect}`]),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

/** The document in which the page runs, with its policy. */
export function panelDocument(parts: PanelDocument): string {
  const { script, style, nonce, locale, isInEditor = false, theme, sheet, bridge, texts = {} } = parts;
  if (!/^[\w+/=-]{16,}$/u.test(nonce)) throw new Error("A nonce is a random text.");
  // A theme's values come from the user's own settings, but end no element.
  const properties =
    (theme === undefined ? "" : `<style nonce="${nonce}">:root{${theme.replaceAll(/[<>{}]/gu, "")}}</style>`) +
    (sheet === undefined ? "" : `<style nonce="${nonce}">${sheet}</style>`);
  const said = Object.entries(texts).map(([name, text]) => ` data-${escape(name.toLowerCase())}="${escape(text)}"`);
  const connecting =
    bridge === undefined
      ? ""
      : `\n<link rel="icon" href="data:,">\n<script nonce="${nonce}" type="module" src="${escape(bridge)}" id="connect"${said.join("")}></script>`;
  return `<!doctype html>
<html lang="${escape(locale)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escape(panelPolicy(parts))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Patchbay</title>
${properties}<link rel="stylesheet" href="${escape(style)}">
<script nonce="${nonce}" type="module" src="${escape(script)}"></script>${connecting}
</head>
<body${isInEditor ? ' class="in-editor"' : ""}><div id="panel"></div></body>
</html>
`;
}
