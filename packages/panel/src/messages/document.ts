/** What a host's document is made of. Addresses are as the page can load them. */
export interface PanelDocument extends AnyDocument {
  readonly script: string;
  readonly style: string;
  /** Where styles, fonts and pictures may come from, as in a policy: `webview.cspSource`, or an origin. */
  readonly source: string;
  /** Where the page may connect to, as in a policy; absent: nowhere. */
  readonly connect?: string;
  /** A script that connects the page with its host, where the editor does not. */
  readonly bridge?: string;
  /** What that script says, as `data-` attributes of its element. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** What the document of a frame without an origin is made of: it can load nothing, so that everything stands in it. */
export interface InlineDocument extends AnyDocument {
  /** The text of the page's script, all of it in one. */
  readonly scriptText: string;
  readonly styleText: string;
}

interface AnyDocument {
  /** A new one for each document: at least 128 random bits, in Base64 or hexadecimal. */
  readonly nonce: string;
  /** BCP 47. */
  readonly locale: string;
  /** In an editor's tab instead of a side bar: it takes the editor's background. */
  readonly isInEditor?: boolean;
  /** Custom properties of the theme, where the editor does not set them itself: `--vscode-…:…;`. */
  readonly theme?: string;
  /** The same as a whole sheet, of ours. */
  readonly sheet?: string;
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
export function panelPolicy(parts: Pick<PanelDocument, "nonce" | "connect"> & { readonly source?: string }): string {
  const { nonce, source, connect } = parts;
  const from = source === undefined ? "" : `${source} `;
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${from}'nonce-${nonce}'`,
    `img-src ${from}data: blob:`,
    `font-src ${source ?? "'none'"}`,
    ...(connect === undefined ? [] : [`connect-src ${connect}`]),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

/** The document in which the page runs, with its policy. */
export function panelDocument(parts: PanelDocument): string {
  const { script, style, nonce, bridge, texts = {} } = parts;
  const said = Object.entries(texts).map(([name, text]) => ` data-${escape(name.toLowerCase())}="${escape(text)}"`);
  const connecting =
    bridge === undefined
      ? ""
      : `\n<link rel="icon" href="data:,">\n<script nonce="${nonce}" type="module" src="${escape(bridge)}" id="connect"${said.join("")}></script>`;
  const head = `<link rel="stylesheet" href="${escape(style)}">
<script nonce="${nonce}" type="module" src="${escape(script)}"></script>${connecting}`;
  return documentOf(parts, panelPolicy(parts), head, "");
}

/** The same for a frame without an origin. Its script runs when its body is there. */
export function inlinePanelDocument(parts: InlineDocument): string {
  const { scriptText, styleText, nonce } = parts;
  // Only the end of the element ends it; in both languages the text means the same.
  const style = `<style nonce="${nonce}">${styleText.replaceAll(/<\/(?=style)/giu, "<\\/")}</style>`;
  // In a script, `<!--` followed by `<script` would hide the end of the element, too.
  const script = scriptText.replaceAll(/<(?=\/script|!--|script)/giu, String.raw`\x3C`);
  return documentOf(parts, panelPolicy(parts), style, `<script nonce="${nonce}">${script}</script>`);
}

function documentOf(parts: AnyDocument, policy: string, head: string, end: string): string {
  const { nonce, locale, isInEditor = false, theme, sheet } = parts;
  if (!/^[\w+/=-]{16,}$/u.test(nonce)) throw new Error("A nonce is a random text.");
  // A theme's values come from the user's own settings, but end no element.
  const properties =
    (theme === undefined ? "" : `<style nonce="${nonce}">:root{${theme.replaceAll(/[<>{}]/gu, "")}}</style>`) +
    (sheet === undefined ? "" : `<style nonce="${nonce}">${sheet}</style>`);
  return `<!doctype html>
<html lang="${escape(locale)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escape(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Patchbay</title>
${properties}${head}
</head>
<body${isInEditor ? ' class="in-editor"' : ""}><div id="panel"></div>${end}</body>
</html>
`;
}
