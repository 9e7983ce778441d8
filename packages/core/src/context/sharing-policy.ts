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

/** Templates of secret files hold none; what is meant for one machine alone is no template. */
const templateName = /(?:\.(?:example|sample|template)|(?<!\.local)\.dist|\.pub)$/iu;

/** What editors, tools and people put behind the name of a copy, and before it. */
const copyEnding =
  /(?:~|#|[._-](?:bak|backup|old|orig|saved?|copy|tmp|temp|prev|rej|sw[a-p])(?:[._-]?\d{1,4})?|[._-]\d[\d._:TZ-]{0,30}| copy(?: \d{1,4})?| \(\d{1,4}\))$/iu;
const copyBeginning = /^(?:#|\.#|\.|copy of )/iu;
/** A copy of a copy of a copy. */
const maximumEndings = 4;

const secretFolder = /(?:^|\/)(?:\.ssh|\.gnupg|\.aws|\.kube|\.azure|\.docker|\.config\/gcloud)\//iu;

export interface SharingOptions {
  readonly shareSelection: boolean;
  /** What the user leaves out. Default: nothing. */
  readonly isExcluded?: (path: string) => boolean;
}

export function createSharingPolicy({ shareSelection, isExcluded }: SharingOptions): SharingPolicy {
  return {
    mayName: (path) => isExcluded === undefined || !isExcluded(path),
    mayShareText: (path) => shareSelection && !isSecretPath(path),
  };
}

/** Whether a path names a file that holds secrets by convention, e.g. `.env`, `id_ed25519`, `server.key`, or a copy of one. */
export function isSecretPath(path: string): boolean {
  const slashed = path.replaceAll("\\", "/");
  if (secretFolder.test(slashed)) return true;
  let name = slashed.slice(slashed.lastIndexOf("/") + 1);
  for (let endings = 0; endings <= maximumEndings; endings += 1) {
    if (templateName.test(name)) return false;
    if (secretName.test(name) || secretName.test(name.replace(copyBeginning, ""))) return true;
    const original = name.replace(copyEnding, "");
    if (original === name || original === "") return false;
    name = original;
  }
  return false;
}

/**
 * The patterns of a setting as it was found in a file of the user's: a list of globs, one glob, or an object as in VS
 * Code's `files.exclude`, whose keys are the globs. What is no text cannot be understood, and must be told and not be
 * passed over: it becomes a pattern of which `readExclusions` says so.
 */
export function excludePatternsOf(setting: unknown): readonly string[] {
  if (setting === undefined || setting === null) return [];
  if (typeof setting === "string") return [setting];
  if (Array.isArray(setting)) return setting.map((entry) => (typeof entry === "string" ? entry : unreadable(entry)));
  if (typeof setting !== "object") return [unreadable(setting)];
  return Object.entries(setting).flatMap(([pattern, isOn]) => (isOn === false ? [] : [pattern]));
}

function unreadable(value: unknown): string {
  return `${JSON.stringify(value)}\0`;
}
