import { compileGlob } from "./glob.ts";

/** Whether a file may be named to agents, and whether text selected in it may be sent. */
export interface SharingPolicy {
  /** False: the file does not exist for agents at all. */
  mayName(path: string): boolean;
  /** False: its text never leaves the editor (secrets, or selections switched off). */
  mayShareText(path: string): boolean;
}

/** Files that hold secrets by convention. Their names may be seen, their text never (C06). */
const secretName =
  /^(?:\.env(?:\..+)?|.+\.env|\.envrc|\.netrc|_netrc|\.npmrc|\.pypirc|\.htpasswd|\.pgpass|\.git-credentials|\.dockercfg|\.my\.cnf|\.vault[-_](?:token|pass(?:word)?)|(?:.+_)?credentials(?:\.(?:json|toml|ya?ml|db))?|secrets?\.(?:json|ya?ml|toml|env)|id_(?:rsa|dsa|ecdsa|ed25519)(?:_.+)?|.+\.(?:pem|key|p12|pfx|p8|ppk|jks|keystore|kdbx|asc|gpg|ovpn|tfstate|tfvars(?:\.json)?))$/iu;

/** Templates of secret files hold none. */
const templateName = /\.(?:example|sample|template|dist)$|\.pub$/iu;

const secretFolder = /(?:^|\/)(?:\.ssh|\.gnupg|\.aws|\.kube|\.azure|\.docker|\.config\/gcloud)\//u;

export interface SharingOptions {
  readonly exclude: readonly string[];
  readonly shareSelection: boolean;
}

export function createSharingPolicy(options: SharingOptions): SharingPolicy {
  const excluded = options.exclude.filter((pattern) => pattern !== "").map(compileGlob);
  return {
    mayName: (path) => {
      if (excluded.length === 0) return true;
      const slashed = path.replaceAll("\\", "/");
      return !excluded.some((glob) => glob.test(slashed));
    },
    mayShareText: (path) => options.shareSelection && !isSecretPath(path),
  };
}

/** Whether a path names a file that holds secrets by convention, e.g. `.env`, `id_ed25519`, `server.key`. */
export function isSecretPath(path: string): boolean {
  const slashed = path.replaceAll("\\", "/");
  const name = slashed.slice(slashed.lastIndexOf("/") + 1);
  if (templateName.test(name)) return false;
  return secretName.test(name) || secretFolder.test(slashed);
}
