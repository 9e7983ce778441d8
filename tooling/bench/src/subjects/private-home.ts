import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface PrivateHome {
  readonly root: string;
  remove(): void;
}

/** Gives the process a home and a temporary folder of its own, before anything of the subject is loaded. */
export function moveToPrivateHome(): PrivateHome {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-bench-")));
  for (const name of ["home", "tmp", "storage"]) mkdirSync(join(root, name), { mode: 0o700 });
  process.env["HOME"] = join(root, "home");
  process.env["TMPDIR"] = join(root, "tmp");
  for (const name of ["QWEN_HOME", "CLAUDE_CONFIG_DIR", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"]) delete process.env[name];
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/**
 * Port and token from the record that Gemini CLI would find, as every companion for it writes one. The place is spelled
 * here: nothing of ours is loaded into a process that is measured but the subject itself.
 */
export function readRecord({ root }: PrivateHome): { readonly port: number; readonly token: string } {
  const folder = join(root, "tmp", "gemini", "ide");
  const name = readdirSync(folder).find((one) => /^gemini-ide-server-.*\.json$/u.test(one));
  if (name === undefined) throw new Error("There is no record.");
  const record: { readonly port: number; readonly authToken: string } = JSON.parse(
    readFileSync(join(folder, name), "utf8"),
  );
  return { port: record.port, token: record.authToken };
}
