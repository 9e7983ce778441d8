import { randomBytes } from "node:crypto";
import { Emitter } from "@patchbay/core";
import type { PageChannel } from "@patchbay/panel/host";
import { Uri, type Webview } from "vscode";

/** A page, and the only folder that it may load anything from. */
export interface WebviewPage {
  readonly root: Uri;
  readonly html: string;
}

/**
 * The document of a webview. Nothing but our own script runs: in some editors a page has the origin of the whole workbench, and
 * this policy is the wall. Text becomes elements in the page, never HTML, so that nothing has to be trusted.
 */
export function pageFor(webview: Webview, extensionUri: Uri): WebviewPage {
  const root = Uri.joinPath(extensionUri, "dist", "page");
  const nonce = randomBytes(18).toString("base64url");
  const place = (name: string): string => webview.asWebviewUri(Uri.joinPath(root, name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data: blob:`,
    `font-src ${webview.cspSource}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
  const html = `<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Patchbay</title>
<link rel="stylesheet" href="${place("panel.css")}">
</head>
<body>
<div id="panel"></div>
<script type="module" nonce="${nonce}" src="${place("panel.js")}"></script>
</body>
</html>`;
  return { root, html };
}

/** The way to the page of a webview. */
export function channelOf(webview: Webview): PageChannel {
  const messages = new Emitter<unknown>();
  webview.onDidReceiveMessage((message: unknown) => messages.fire(message));
  return {
    post: async (message) => await webview.postMessage(message),
    onMessage: messages.event,
  };
}
