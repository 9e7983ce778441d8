import { errorCodeOf } from "../platform/error-code.ts";
import { messageOf } from "../support/errors.ts";

/** What a user can do about a system error on a private file or directory: one sentence. */
export function adviceFor(error: unknown): string {
  switch (errorCodeOf(error)) {
    case "EACCES":
    case "EPERM":
      return "Give yourself the right to write there.";
    case "EROFS":
      return "The file system is read-only: make it writable.";
    case "ENOSPC":
    case "EDQUOT":
      return "The disk is full: make room.";
    case "EISDIR":
    case "ENOTEMPTY":
      return "A directory has that name: remove it.";
    default:
      return "Check that the path is right and its disk is there.";
  }
}

/** The shortest name of a cause: a system error's own sentence repeats paths, among them temporary ones. */
export function causeOf(error: unknown): string {
  return errorCodeOf(error) ?? messageOf(error);
}
