import { randomBytes } from "node:crypto";
import { Emitter } from "@patchbay/core";
import type { PageChannel } from "@patchbay/panel/host";
import { panelDocument } from "@patchbay/panel/messages";
import { env, Uri, type Webview } from "vscode";

/** A page, and the only folder that it may load anything from. */
export interface WebviewPage {
  readonly root: Uri;
  readonly html: string;
}

/**
 * The document of a webview. Nothing but our own script runs: in some editors a page has the origin of the whole workbench, and
 * its policy is the wall. Text becomes elements in the page, never HTML, so that nothing has to be trusted.
 */
export function pageFor(webview: Webview, extensionUri: Uri, isInEditor: boolean): WebviewPage {
  const root = Uri.joinPath(extensionUri, "dist", "page");
  const place = (name: string): string => webview.asWebviewUri(Uri.joinPath(root, name)).toString();
  const html = panelDocument({
    script: place("panel.js"),
    style: place("panel.css"),
    nonce: randomBytes(18).toString("base64url"),
    source: webview.cspSource,
    locale: env.language,
    isInEditor,
  });
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
