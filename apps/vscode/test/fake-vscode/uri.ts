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

  get fsPath(): string {
    return this.path;
  }

  with(change: Partial<UriParts>): Uri {
    const { scheme, authority, path, query, fragment } = this;
    return new Uri({ scheme, authority, path, query, fragment, ...change });
  }

  toString(): string {
    const query = this.query === "" ? "" : `?${encodeURIComponent(this.query)}`;
    return `${this.scheme}://${this.authority}${this.path.split("/").map(encodeURIComponent).join("/")}${query}`;
  }
}
