import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Texts } from "@patchbay/languages";
import { panelDocument, panelPolicy, panelStringsIn, type StringKey } from "../messages/index.ts";
import { browserTheme } from "./browser-theme.ts";

/** What goes out with every answer: nothing is kept, framed, guessed at or told to others. */
export const commonHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

export interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** The page as it is sent: its document, and the files that the document loads. There is nothing in it that is secret. */
export class PageFiles {
  readonly #directory: string;
  readonly #locale: string;
  readonly #texts: Texts;

  constructor(directory: string, locale: string, texts: Texts) {
    this.#directory = directory;
    this.#locale = locale;
    this.#texts = texts;
  }

  document(origin: string): Answer {
    const nonce = randomBytes(18).toString("base64url");
    const connect = `${origin} ${origin.replace("http:", "ws:")}`;
    const policy = panelPolicy({ nonce, source: origin, connect });
    const texts = panelStringsIn(this.#texts);
    const keys: readonly StringKey[] = [
      "connection.lost",
      "connection.shutOut",
      "connection.delete",
      "connection.close",
      "connection.copy",
    ];
    const body = panelDocument({
      script: "/page/panel.js",
      style: "/page/panel.css",
      nonce,
      source: origin,
      connect,
      locale: this.#locale,
      isInEditor: true,
      sheet: browserTheme,
      bridge: "/page/connect.js",
      texts: Object.fromEntries(keys.map((key) => [key.replace("connection.", ""), texts[key]])),
    });
    return {
      headers: {
        "content-type": "text/html; charset=utf-8",
        // What only a header can say.
        "content-security-policy": `${policy}; frame-ancestors 'none'`,
      },
      body,
    };
  }

  /** Undefined: it is no file of the page. */
  async file(path: string): Promise<Answer | undefined> {
    const [, name = "", ending = ""] = /^\/page\/([\w-]+\.(js|css))$/u.exec(path) ?? [];
    const type = types[ending];
    // Only what is there by exactly this name.
    if (type === undefined || !(await readdir(this.#directory)).includes(name)) return undefined;
    return { headers: { "content-type": type }, body: await readFile(join(this.#directory, name)) };
  }
}
