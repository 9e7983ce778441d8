import core from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
// Has all of JavaScript in it once more: side by side the two are packed in half the room.
import typescript from "highlight.js/lib/languages/typescript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

/** A piece of code with what it is, e.g. `keyword`. */
export interface CodePiece {
  readonly text: string;
  readonly scope?: string;
}

/** Collects pieces, where the library's own emitter would write HTML. */
class PieceEmitter {
  readonly pieces: CodePiece[] = [];
  readonly #scopes: string[] = [];

  addText(text: string): void {
    const scope = this.#scopes.at(-1);
    if (text !== "") this.pieces.push(scope === undefined ? { text } : { text, scope });
  }

  startScope(scope: string): void {
    this.#scopes.push(scope);
  }

  endScope(): void {
    this.#scopes.pop();
  }

  /** What the library itself calls, whatever its types say. */
  openNode(scope: string): void {
    this.startScope(scope);
  }

  closeNode(): void {
    this.endScope();
  }

  __addSublanguage(emitter: unknown): void {
    if (emitter instanceof PieceEmitter) this.pieces.push(...emitter.pieces);
  }

  finalize(): void {
    this.#scopes.length = 0;
  }

  toHTML(): string {
    return "";
  }
}

const languages = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  markdown,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};

for (const [name, language] of Object.entries(languages)) core.registerLanguage(name, language);
core.registerAliases(["toml"], { languageName: "ini" });
core.registerAliases(["vue", "svelte"], { languageName: "xml" });
core.registerAliases(["console", "shellsession"], { languageName: "bash" });
core.configure({ __emitter: PieceEmitter });

/** The pieces of a code. Undefined if its language is not known, or not all of the code came back. */
export function highlight(code: string, language: string): readonly CodePiece[] | undefined {
  if (core.getLanguage(language) === undefined) return undefined;
  const { _emitter: emitter } = core.highlight(code, { language, ignoreIllegals: true });
  if (!(emitter instanceof PieceEmitter)) return undefined;
  return emitter.pieces.map(({ text }) => text).join("") === code ? emitter.pieces : undefined;
}
