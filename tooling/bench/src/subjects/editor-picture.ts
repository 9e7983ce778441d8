/** The least an editor is: one open file, a cursor and a selection, sent after 50 ms of quiet. */
export class EditorPicture {
  readonly #send: (json: string) => void;
  #path = "";
  #text = "";
  #cursor = { line: 1, character: 1 };
  #selected = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (json: string) => void) {
    this.#send = send;
  }

  open(path: string, text: string): void {
    this.#path = path;
    this.#text = text;
    this.#changed();
  }

  cursor(line: number, character: number): void {
    this.#cursor = { line: line + 1, character: character + 1 };
    this.#selected = 0;
    this.#changed();
  }

  /** From the start; all lines are as long as the first. */
  select(line: number, character: number): void {
    this.#cursor = { line: line + 1, character: character + 1 };
    this.#selected = line * (this.#text.indexOf("\n") + 1) + character;
    this.#changed();
  }

  json(): string {
    const selectedText = this.#text.slice(0, Math.min(this.#selected, 16_384));
    const file = {
      path: this.#path,
      timestamp: Date.now(),
      isActive: true,
      cursor: this.#cursor,
      ...(selectedText === "" ? {} : { selectedText }),
    };
    return JSON.stringify({
      jsonrpc: "2.0",
      method: "ide/contextUpdate",
      params: { workspaceState: { openFiles: [file], isTrusted: true } },
    });
  }

  #changed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(this.json()), 50);
  }
}
