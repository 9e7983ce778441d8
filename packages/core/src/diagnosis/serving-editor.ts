import type { Platform } from "../platform/platform.ts";
import type { RunningEditor } from "./running-editors.ts";

/** The editors that answer and serve a folder, the one with the nearest folder first. */
export async function editorsServing(
  platform: Platform,
  editors: readonly RunningEditor[],
  folder: string,
): Promise<readonly RunningEditor[]> {
  const here = await realPlace(platform, folder);
  const ranked = await Promise.all(
    editors.map(async (editor) => {
      const roots = await Promise.all(editor.folders.map((root) => realPlace(platform, root)));
      const nearest = Math.max(-1, ...roots.filter((root) => holds(root, here)).map((root) => root.length));
      return { editor, nearest };
    }),
  );
  return ranked
    .filter(({ editor, nearest }) => editor.answers && nearest >= 0)
    .sort((a, b) => b.nearest - a.nearest)
    .map(({ editor }) => editor);
}

/** Whether `folder` is `root` or below it, by the letters of the paths. */
export function holds(root: string, folder: string): boolean {
  const trimmed = root.replace(/[/\\]+$/u, "");
  return folder === root || folder === trimmed || ["/", "\\"].some((mark) => folder.startsWith(trimmed + mark));
}

/** A folder or file with links resolved; as it is where it is gone or cannot be looked at (a mount that hangs in the air, another's home). */
export async function realPlace({ files }: Platform, place: string): Promise<string> {
  return (await files.realPath(place).catch(() => undefined)) ?? place;
}
