import { parseLooseJson, type SettingsPlace } from "../settings.ts";
import { memberOf, textOf } from "../hook.ts";

/** A hook in the file of hooks, as Codex CLI remembers that its user trusts it (seen, 0.171.0). */
interface Remembered {
  readonly event: string;
  /** Where it stands in the file: the group of its event, and the place in that. */
  readonly place: string;
  readonly identity: Readonly<Record<string, unknown>>;
}

/** Whether Codex CLI runs every hook of a file for which `isOwn` holds: it asks its user about each that is new or has changed. */
export async function areTrusted(
  { platform }: Pick<SettingsPlace, "platform">,
  { hooks: text, config, file }: { readonly hooks: string; readonly config: string; readonly file: string },
  isOwn: (command: string) => boolean,
): Promise<boolean> {
  const trusted = trustedHashes(config);
  const real = (await platform.files.realPath(file).catch(() => undefined)) ?? file;
  for (const { event, place, identity } of hooksIn(text, isOwn)) {
    const hash = [file, real].map((path) => trusted.get(`${path}:${event}:${place}`)).find((one) => one !== undefined);
    if (hash === undefined) return false;
    // Not tried there.
    if (platform.process.platform !== "win32" && hash !== (await hashOf(identity))) return false;
  }
  return true;
}

function hooksIn(text: string, isOwn: (command: string) => boolean): readonly Remembered[] {
  const events = memberOf(parseLooseJson(text), "hooks");
  if (typeof events !== "object" || events === null) return [];
  return Object.entries(events).flatMap(([name, groups]) =>
    listOf(groups).flatMap((group, groupAt) =>
      listOf(memberOf(group, "hooks")).flatMap((hook, hookAt): readonly Remembered[] => {
        const command = textOf(hook, "command");
        if (command === undefined || !isOwn(command)) return [];
        const event = name.replace(/(?<=[a-z])[A-Z]/gu, "_$&").toLowerCase();
        const matcher = textOf(group, "matcher");
        const own = { async: false, command, timeout: memberOf(hook, "timeout"), type: "command" };
        const identity = { event_name: event, hooks: [own], ...(matcher === undefined ? {} : { matcher }) };
        return [{ event, place: `${groupAt}:${hookAt}`, identity }];
      }),
    ),
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Members in the order of their names, without blanks. */
async function hashOf(identity: Readonly<Record<string, unknown>>): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(identity)));
  return `sha256:${Buffer.from(digest).toString("hex")}`;
}

/** What is trusted, by the names under which Codex CLI remembers it, in its settings as it writes them; not what is switched off there. */
function trustedHashes(toml: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const off = new Set<string>();
  let name: string | undefined;
  for (const line of toml.split("\n")) {
    if (/^\s*\[/u.test(line)) {
      const [, key] = /^\s*\[\s*hooks\s*\.\s*state\s*\.\s*("(?:[^"\\]|\\.)*"|'[^']*')\s*\]/u.exec(line) ?? [];
      name = key === undefined ? undefined : unquoted(key);
    }
    const [, hash] = /^\s*trusted_hash\s*=\s*["']([^"']*)["']/u.exec(line) ?? [];
    if (name !== undefined && hash !== undefined) found.set(name, hash);
    if (name !== undefined && /^\s*enabled\s*=\s*false\b/u.test(line)) off.add(name);
  }
  for (const one of off) found.delete(one);
  return found;
}

function unquoted(key: string): string {
  if (key.startsWith("'")) return key.slice(1, -1);
  const value = parseLooseJson(key);
  return typeof value === "string" ? value : key.slice(1, -1);
}
