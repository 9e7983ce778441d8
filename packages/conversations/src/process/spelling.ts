import process from "node:process";

/** One spelling for one file: some agents write `C:/folder` where the editor, and they themselves, also say `C:\folder`. */
export function oneSpelling(path: string, platform: string = process.platform): string {
  return platform === "win32" && /^[a-z]:[\\/]/iu.test(path) ? path.replaceAll("/", "\\") : path;
}
