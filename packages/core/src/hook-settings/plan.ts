import type { Node } from "jsonc-parser";
import type { HookEntry, HookScope, HookSettings } from "../agents/hook.ts";
import type { SettingsPlace } from "../agents/settings.ts";
import { holds } from "../agents/choice.ts";
import { splitPath } from "../storage/private-directory.ts";
import { errorCodeOf, messageOf } from "../support/errors.ts";
import { endsWell, isOwnCommand, pluginProgram } from "./command.ts";
import { addLast, type Layout, layoutOf, nodeAt, readJson, remove, stoodEmpty } from "./edit-json.ts";

/** A larger file is none that a person wrote. */
const largestFileBytes = 1_048_576;

/** What is about to happen to a file of an agent's settings, for the user to see before it does. */
export type SettingsPlan =
  | {
      readonly kind: "change";
      readonly doing: "install" | "remove";
      readonly file: string;
      /** With links resolved: what is written. */
      readonly real: string;
      /** Undefined: there is no such file, or there is to be none. */
      readonly before: string | undefined;
      readonly after: string | undefined;
      /** What is to be kept beside the file, for the way back; undefined: nothing, since ours is in it. */
      readonly copy: string | undefined;
    }
  /** It is as it should be. */
  | { readonly kind: "nothing"; readonly file: string }
  /** It is left alone; `reason` is a sentence for the user. */
  | { readonly kind: "refused"; readonly file: string; readonly reason: string };

export interface PlanRequest {
  readonly place: SettingsPlace;
  readonly scope: HookScope;
  readonly settings: HookSettings;
  /** What the agent is to run. */
  readonly command: string;
}

/** What an agent's settings say of our hook: all of it, some, nothing, or they cannot be read. */
export type HookPresence = "installed" | "partly" | "absent" | "unreadable";

/** Enters the hook, in place of what an earlier version has entered. Never rejects. */
export async function planInstall(request: PlanRequest): Promise<SettingsPlan> {
  const { plugin } = request.settings;
  return await plan("install", request, async ({ text }) => {
    if (plugin !== undefined) {
      if (text === undefined || isOwnPlugin(text, plugin)) return plugin;
      throw new Error("it is not Patchbay's. Give it another name, then try again.");
    }
    if (text === undefined || isBlank(text)) return installed(text, request);
    const after = isEntered(treeOf(text), request) ? text : installed(text, request);
    if (isTaken(text, request.settings)) return after;
    throw new Error(
      "the agent ignores all of it because of its comments or trailing commas. Take them out, then try again.",
    );
  });
}

/** Takes out whatever we have entered. Never rejects. */
export async function planRemove(request: Omit<PlanRequest, "command">): Promise<SettingsPlan> {
  const { plugin } = request.settings;
  return await plan("remove", request, async ({ real, text }) => {
    if (plugin !== undefined) return text !== undefined && isOwnPlugin(text, plugin) ? undefined : text;
    if (text === undefined || isBlank(text)) return text;
    const [bare] = withoutOurs(text);
    if (bare === text) return text;
    // Where nobody has changed anything since, it is again what it was, to the last byte.
    const command = commandsIn(treeOf(text))[0] ?? "";
    const copy = await request.place.platform.files.readText(copyOf(real), largestFileBytes);
    const before = copy === undefined ? undefined : plainOf(copy).body;
    if (before !== undefined) return isInstalledIn(before, text, { ...request, command }) ? before : bare;
    return installed(undefined, { ...request, command }) === text ? undefined : bare;
  });
}

/** The copy of what stood there before, beside the file; it goes with the hook. */
export function copyOf(real: string): string {
  return `${real}.before-patchbay`;
}

type Wanted = Pick<PlanRequest, "place" | "settings" | "command">;

function installed(text: string | undefined, wanted: Wanted): string {
  const isNew = text === undefined || isBlank(text);
  let [now, tree] = withoutOurs(isNew ? `{}${layoutOf(text ?? "").end}` : text);
  const layout = layoutOf(now);
  for (const entry of wanted.settings.entries) {
    now = withEntry(now, tree, groupOf(entry, wanted), layout);
    tree = treeOf(now);
  }
  return now;
}

/** Whether there is nothing in a file, which agents take as settings without any. */
function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/u.test(text);
}

/** Whether all of it is there as it would be entered, and nothing else of ours, wherever and in whatever order it stands. */
function isEntered(tree: Node, wanted: Wanted): boolean {
  const events = nodeAt(tree, "hooks")?.children?.map((property) => String(property.children?.[0]?.value)) ?? [];
  const entries = wanted.settings.entries.map((entry) => groupOf(entry, wanted));
  const count = events.reduce((sum, event) => sum + ours(tree, event).length, 0);
  return (
    count === entries.length &&
    entries.every(({ event, group }) => {
      const [hook] = ours(tree, event);
      if (hook === undefined) return false;
      const around = hook.parent?.parent?.parent;
      const matcher: unknown = around === undefined ? undefined : nodeAt(around, "matcher")?.value;
      const fields = Object.entries(group.hooks[0] ?? {});
      const isAlike = fields.length === hook.children?.length;
      return (
        matcher === group.matcher && isAlike && fields.every(([name, value]) => nodeAt(hook, name)?.value === value)
      );
    })
  );
}

/** Whether the text is what an install makes of what was there before. The copy is nobody's to trust: it may be no JSON by now. */
function isInstalledIn(before: string, text: string, wanted: Wanted): boolean {
  try {
    if (!isBlank(before) && withoutOurs(before)[0] !== before) return false;
    return installed(before, wanted) === text;
  } catch {
    return false;
  }
}

/** Whether the agent reads the file as it stands. */
function isTaken(text: string, { isStrict }: HookSettings): boolean {
  if (!isStrict) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What the settings say now. Never rejects. */
export async function hookPresence(request: Omit<PlanRequest, "command">): Promise<HookPresence> {
  return (await readHook(request)).presence;
}

/** What a file of settings says of hooks. */
export interface FoundHook {
  readonly presence: HookPresence;
  /** Ours, each once. */
  readonly commands: readonly string[];
  /** Those of others that the agent runs before it writes, too. */
  readonly others: readonly string[];
  /** Ours end well also where they cannot be started. */
  readonly endsWell: boolean;
}

const noHook = { commands: [], others: [], endsWell: true };

/** What the settings say now, with the commands. Never rejects. */
export async function readHook({ place, scope, settings }: Omit<PlanRequest, "command">): Promise<FoundHook> {
  try {
    const { text } = await read(place, settings.file(place, scope));
    if (settings.plugin !== undefined) {
      if (text === undefined || !isOwnPlugin(text, settings.plugin)) return { presence: "absent", ...noHook };
      // An earlier version's is written anew.
      const endsWell = text === settings.plugin;
      return { presence: "installed", commands: [pluginProgram(place.platform)], others: [], endsWell };
    }
    if (text === undefined || isBlank(plainOf(text).body)) return { presence: "absent", ...noHook };
    const tree = treeOf(plainOf(text).body);
    const found = settings.entries.filter(({ event }) => ours(tree, event).length > 0);
    if (found.length > 0 && !isTaken(plainOf(text).body, settings)) throw new Error("the agent ignores all of it.");
    const presence = found.length === 0 ? "absent" : found.length === settings.entries.length ? "installed" : "partly";
    const commands = commandsIn(tree);
    const others = settings.entries.slice(0, 1).flatMap(othersIn(tree));
    return { presence, commands, others, endsWell: commands.every(endsWell) };
  } catch {
    return { presence: "unreadable", ...noHook };
  }
}

/** Whether a file that an agent loads is ours, of whichever version. */
function isOwnPlugin(text: string, plugin: string): boolean {
  const [first] = plugin.split("\n", 1);
  return text.split(/\r?\n/u, 1)[0] === first;
}

/** Commands of others for the same tools. */
function othersIn(tree: Node): (entry: HookEntry) => readonly string[] {
  return ({ event, matcher }) => {
    const own = ours(tree, event);
    const groups = nodeAt(tree, "hooks", event)?.children ?? [];
    const concerned = groups.filter((group) => {
      const theirs: unknown = nodeAt(group, "matcher")?.value;
      const tools = matcher?.split("|") ?? [];
      return typeof theirs !== "string" || tools.some((tool) => theirs === "*" || theirs.split("|").includes(tool));
    });
    const commands = concerned
      .flatMap((group) => nodeAt(group, "hooks")?.children ?? [])
      .filter((one) => !own.includes(one));
    return commands.flatMap((one): readonly string[] => {
      const command: unknown = nodeAt(one, "command")?.value;
      return typeof command === "string" ? [command] : [];
    });
  };
}

async function plan(
  doing: "install" | "remove",
  { place, scope, settings }: Omit<PlanRequest, "command">,
  edit: (found: { readonly real: string; readonly text: string | undefined }) => Promise<string | undefined>,
): Promise<SettingsPlan> {
  const file = settings.file(place, scope);
  try {
    const { real, text } = await read(place, file);
    await staysInFolder(place, scope, real);
    const { mark, body } = plainOf(text ?? "");
    const edited = await edit({ real, text: text === undefined ? undefined : body });
    const after = edited === undefined ? undefined : mark + edited;
    if (after === text) return { kind: "nothing", file };
    const isFirst =
      doing === "install" &&
      settings.plugin === undefined &&
      text !== undefined &&
      (isBlank(body) || withoutOurs(body)[0] === body);
    return { kind: "change", doing, file, real, before: text, after, copy: isFirst ? text : undefined };
  } catch (error) {
    return { kind: "refused", file, reason: `${file} was left as it is: ${messageOf(error)}` };
  }
}

async function read(
  { platform }: SettingsPlace,
  file: string,
): Promise<{ readonly real: string; readonly text: string | undefined }> {
  const real = await platform.files.realPath(file).catch((error: unknown) => {
    if (errorCodeOf(error) !== "ELOOP") throw error;
    return undefined;
  });
  if (real === undefined) {
    const entry = await platform.files.lstat(file);
    if (entry !== undefined) throw new Error("it is a link that leads nowhere.");
    return { real: file, text: undefined };
  }
  const text = await platform.files.readText(real, largestFileBytes);
  if (text === undefined) throw new Error("it is no text file of at most 1 MB.");
  return { real, text };
}

/** Links in a folder are whoever's the folder's files are: none of them leads a write to the user's other files. */
async function staysInFolder({ platform, folder }: SettingsPlace, scope: HookScope, real: string): Promise<void> {
  if (scope !== "project" || folder === undefined) return;
  const root = (await platform.files.realPath(folder)) ?? folder;
  let there: string | undefined = real;
  // What is to be made lies where the nearest directory above it leads.
  while ((await platform.files.lstat(there)) === undefined) there = splitPath(platform, there).parent;
  if (!holds(root, (await platform.files.realPath(there)) ?? there))
    throw new Error(`it leads out of the folder, to ${real}.`);
}

function plainOf(text: string): { readonly mark: string; readonly body: string } {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  return { mark, body: text.slice(mark.length) };
}

/** Throws what a user can do something about. */
function treeOf(text: string): Node {
  const tree = readTree(text);
  if (tree === undefined) throw new Error("it is not JSON, not even with comments. Correct it, then try again.");
  if (tree.type !== "object") throw new Error("it is no JSON object. Correct it, then try again.");
  const hooks = nodeAt(tree, "hooks");
  for (const twice of [...namedTwice(tree).filter((name) => name === "hooks"), ...namedTwice(hooks)])
    throw new Error(`it has "${twice}" twice, and the agent reads one of them only. Correct it, then try again.`);
  if (hooks !== undefined && hooks.type !== "object")
    throw new Error('its "hooks" is no object. Correct it, then try again.');
  for (const property of hooks?.children ?? []) {
    const [name, list] = property.children ?? [];
    // What other settings stand there is none of ours.
    if (list?.type === "array" || !isEvent(name)) continue;
    throw new Error(`its "hooks" has a "${String(name?.value)}" that is no list. Correct it, then try again.`);
  }
  return tree;
}

function readTree(text: string): Node | undefined {
  try {
    return readJson(text);
  } catch (error) {
    throw new Error("it is nested too deeply.", { cause: error });
  }
}

/** Names of members that an object has more than once. */
function namedTwice(object: Node | undefined): readonly string[] {
  const members = object?.type === "object" ? (object.children ?? []) : [];
  const names = members.map((member) => String(member.children?.[0]?.value));
  return names.filter((name, index) => names.indexOf(name) !== index);
}

function isEvent(name: Node | undefined): boolean {
  return /^[A-Z][a-zA-Z]+$/u.test(String(name?.value));
}

/** Our commands under an event. Others may have put theirs beside one of them. */
function ours(tree: Node, event: string): readonly Node[] {
  const groups = nodeAt(tree, "hooks", event)?.children ?? [];
  const hooks = groups.flatMap((group) => nodeAt(group, "hooks")?.children ?? []);
  return hooks.filter((hook) => {
    const command: unknown = nodeAt(hook, "command")?.value;
    return typeof command === "string" && isOwnCommand(command);
  });
}

/** The commands that we have entered: one, unless versions of ours have each left theirs. */
function commandsIn(tree: Node): readonly string[] {
  const events = nodeAt(tree, "hooks")?.children?.map((property) => String(property.children?.[0]?.value)) ?? [];
  const found = events.flatMap((event) => ours(tree, event).map((hook) => String(nodeAt(hook, "command")?.value)));
  return [...new Set(found)];
}

/** What is entered for one event. */
interface Entered {
  readonly event: string;
  readonly group: { readonly matcher?: string; readonly hooks: readonly object[] };
}

function groupOf(entry: HookEntry, { place, settings, command }: Wanted): Entered {
  const { event, matcher, commandTool, timeout } = entry;
  const tools = [matcher, commandTool].filter((one) => one !== undefined).join("|");
  const isWindows = place.platform.process.platform === "win32";
  const shell = isWindows && settings.shell !== undefined ? { shell: settings.shell } : {};
  const hooks = [{ type: "command", command, timeout, ...shell }];
  return { event, group: tools === "" ? { hooks } : { matcher: tools, hooks } };
}

function withEntry(text: string, tree: Node, { event, group }: Entered, layout: Layout): string {
  const hooks = nodeAt(tree, "hooks");
  const list = nodeAt(tree, "hooks", event);
  if (list !== undefined) return addLast(text, list, { value: group }, layout);
  return hooks === undefined
    ? addLast(text, tree, { name: "hooks", value: { [event]: [group] } }, layout)
    : addLast(text, hooks, { name: event, value: [group] }, layout);
}

/** The text without our commands, and without what is empty because of that. */
function withoutOurs(text: string): readonly [text: string, tree: Node] {
  let now = text;
  let tree = treeOf(now);
  for (;;) {
    const events = nodeAt(tree, "hooks")?.children?.map((property) => String(property.children?.[0]?.value)) ?? [];
    const event = events.findLast((name) => ours(tree, name).length > 0);
    if (event === undefined) return [now, tree];
    const hook = ours(tree, event).at(-1);
    if (hook === undefined) return [now, tree];
    const isAlone = (hook.parent?.children?.length ?? 0) === 1;
    const group = hook.parent?.parent?.parent;
    now = withoutMember(now, isAlone && group !== undefined ? group : hook);
    tree = treeOf(now);
  }
}

/** A list or an object that would be empty then goes, too, unless it was empty before. */
function withoutMember(text: string, member: Node): string {
  const container = member.parent;
  if (container === undefined) return text;
  const isAlone = container.children?.length === 1;
  const property = container.parent;
  if (isAlone && property?.type === "property" && !stoodEmpty(text, container, member))
    return withoutMember(text, property);
  return remove(text, container, member);
}
