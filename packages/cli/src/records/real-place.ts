import type { Platform } from "@patchbay/core";

/** A folder or file with links resolved; as it is where it is gone or cannot be looked at (a mount that hangs in the air, another's home). */
export async function realPlace({ files }: Platform, place: string): Promise<string> {
  return (await files.realPath(place).catch(() => undefined)) ?? place;
}
