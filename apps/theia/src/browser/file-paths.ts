import { FileUri } from "@theia/core/lib/common/file-uri";
import { URI } from "@theia/core/lib/common/uri";

/** The path of a file on the backend's disk; undefined for everything else (untitled, virtual, our own documents). */
export function filePathOf(uri: URI | undefined): string | undefined {
  return uri === undefined || uri.scheme !== "file" || uri.query !== "" ? undefined : uri.path.fsPath();
}

/** The URI under which Theia knows a path of the backend's disk. */
export function fileUriOf(path: string): URI {
  return FileUri.create(path);
}
