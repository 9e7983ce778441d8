/** A file of a commit or of git's index. */
export interface GitObject {
  /** The top of its work tree. */
  readonly repository: string;
  readonly object: string;
  /** Of the file in the work tree, in bytes, when git last looked at it. */
  readonly size: number;
}

/** PORT: the user's object stores; read only. */
export interface GitObjects {
  /** As it stood in the work tree; undefined where that cannot be told, or it is larger than `limit` bytes. Never rejects. */
  read(object: GitObject, limit: number): Promise<Uint8Array | undefined>;
  dispose(): void;
}

export const noObjects: GitObjects = { read: async () => undefined, dispose: () => {} };
