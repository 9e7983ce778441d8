interface UriParts {
  readonly scheme: string;
  readonly authority?: string;
  readonly path?: string;
  readonly query?: string;
  readonly fragment?: string;
}

/** VS Code's URI, as far as POSIX paths need it. */
export class Uri {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
  #text: string | undefined;

  private constructor(parts: UriParts) {
    this.scheme = parts.scheme;
    this.authority = parts.authority ?? "";
    this.path = parts.path ?? "";
    this.query = parts.query ?? "";
    this.fragment = parts.fragment ?? "";
  }

  static file(path: string): Uri {
    return new Uri({ scheme: "file", path });
  }

  static from(parts: UriParts): Uri {
    return new Uri(parts);
  }

  static parse(text: string): Uri {
    const { protocol, hostname, pathname, search, hash } = new URL(text);
    return new Uri({
      scheme: protocol.slice(0, -1),
      authority: hostname,
      path: decodeURIComponent(pathname),
      query: decodeURIComponent(search.slice(1)),
      fragment: decodeURIComponent(hash.slice(1)),
    });
  }

  static joinPath(base: Uri, ...parts: readonly string[]): Uri {
    return base.with({ path: [base.path, ...parts].join("/") });
  }

  get fsPath(): string {
    return this.path;
  }

  with(change: Partial<UriParts>): Uri {
    const { scheme, authority, path, query, fragment } = this;
    return new Uri({ scheme, authority, path, query, fragment, ...change });
  }

  /** Worked out once, as VS Code does it: documents and tabs are told apart by it all the time. */
  toJSON(): unknown {
    return { $mid: 1, scheme: this.scheme, path: this.path };
  }

  toString(): string {
    this.#text ??= this.#write();
    return this.#text;
  }

  #write(): string {
    const query = this.query === "" ? "" : `?${encodeURIComponent(this.query)}`;
    const hash = this.fragment === "" ? "" : `#${encodeURIComponent(this.fragment)}`;
    return `${this.scheme}://${this.authority}${this.path.split("/").map(encodeURIComponent).join("/")}${query}${hash}`;
  }
}
