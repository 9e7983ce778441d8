import { agentOf, type AgentSettings, type ChoiceReason, type Finding, type NamedEditor } from "@patchbay/core";
import { examineAsking } from "@patchbay/core/diagnosis";
import { program, shellWords } from "../own-command.ts";
import { escapeLine } from "../terminal/escape-text.ts";
import { listOf } from "../terminal/layout.ts";
import type { ShellWords } from "../terminal/shell-words.ts";

/** A finding in words, safe to print. */
export interface FindingWords {
  /** One or two sentences. */
  readonly text: string;
  /** What to type, where something is to be typed. It never does harm where the finding should be wrong. */
  readonly fix?: string;
}

/** Says a finding. Values that came from files, agents or settings are escaped; a command is given only where nothing in it had to be. */
export function wordsOf(finding: Finding, shell: ShellWords = shellWords): FindingWords {
  const { text, fix } = rawWordsOf(finding, shell);
  const isPlain = fix !== undefined && escapeLine(fix) === fix;
  return { text: escapeLine(text), ...(isPlain ? { fix } : {}) };
}

/** Why an agent may show no changes, for whom it is connected to. */
export function askingWords(settings: readonly AgentSettings[], dialect: string): readonly FindingWords[] {
  return settings
    .filter(({ agent }) => agent === dialect)
    .flatMap((one) => examineAsking(one).map((finding) => wordsOf(finding)));
}

interface Words {
  readonly text: string;
  readonly fix?: string;
}

/** What has an editor write its records anew. */
function reload({ isServe }: NamedEditor): string {
  return isServe === true ? `Restart \`${program} serve\`.` : "Reload the editor's window.";
}

function rawWordsOf(finding: Finding, shell: ShellWords): Words {
  const { quote, removeFiles, variables } = shell;
  const renew = shell.evaluate(`${program} env`);
  const agents =
    finding.agents.length === 0
      ? "agents"
      : listOf(
          finding.agents.map((id) => agentOf(id).agentName),
          "and",
        );
  const isOne = finding.agents.length === 1;
  const [first] = finding.agents.map(agentOf);
  const command = first?.program.command ?? "";
  const connectInput = first?.connecting?.input ?? "";
  /** The form of a verb that fits the agents. */
  const verb = (one: string, several: string): string => (isOne ? one : several);
  switch (finding.code) {
    case "connects": {
      const { editor, because, others } = finding.values;
      const count = others.length + 1;
      const why =
        others.length === 0 ? "" : ` Of the ${count} editors that have this folder open, it is ${reasons[because]}.`;
      const connects = finding.level === "ok" ? verb("connects", "connect") : "would connect";
      return { text: `${agents} ${connects} to ${at(editor)}.${why}` };
    }
    case "waits-to-be-told": {
      const start = first?.connecting?.command;
      const typed = `${connectInput}   # type this in ${agents}`;
      return {
        text: `${agents} can connect to ${at(finding.values.editor)}, but in this terminal only on request.`,
        fix: start === undefined ? typed : `${start}   # or ${connectInput} in a running one`,
      };
    }
    case "terminal-of-another-editor": {
      const { editor, variable } = finding.values;
      return {
        text: `This terminal is another editor's by its ${variable}, so ${agents} does not connect to ${at(editor)} by itself, nor by ${connectInput}.`,
        fix: `${program} run ${first?.id ?? ""}`,
      };
    }
    case "undecided": {
      const { editors } = finding.values;
      return {
        text: `${editors.length} editors have this folder open (${editors.map(at).join("; ")}), so ${agents} connects to none of them by itself.`,
        fix: `${renew}   # or choose one: type ${connectInput} in ${agents}`,
      };
    }
    case "takes-other-folder": {
      const { editor, variable, open, better } = finding.values;
      const text = `${variable} points ${agents} to ${at(editor)}, which has another folder open: ${open}.`;
      if (better === undefined) return { text };
      return { text: `${text} ${at(better)} has this one open.`, fix: envOf(better, shell) };
    }
    case "no-editor":
      return {
        text: `No running editor was found for ${agents}.`,
        fix: `${program} serve ${quote(finding.values.folder)}   # or open the folder in your editor`,
      };
    case "other-folder":
      return {
        text: `${at(finding.values.editor)} has another folder open: ${finding.values.open}. ${agents} ${verb("looks", "look")} for one that has this folder open.`,
        fix: `cd ${quote(finding.values.open)}   # or open this folder in the editor`,
      };
    case "folder-below":
      return {
        text: `${at(finding.values.editor)} has only a subfolder of this one open: ${finding.values.open}.`,
        fix: `cd ${quote(finding.values.open)}   # or open this folder in the editor`,
      };
    case "folder-by-link": {
      const { editor, folder, open } = finding.values;
      return {
        text: `${at(editor)} has this folder open as ${open}, through a link that ${agents} does not follow. Open ${folder} itself in the editor.`,
      };
    }
    case "token-refused":
      return {
        text: `${at(finding.values.editor)} rejects the token in ${listOf(finding.values.paths, "and")}, which does not belong to its current run. ${reload(finding.values.editor)}`,
      };
    case "editor-stopped":
      return {
        text: `${at(finding.values.editor)} is suspended (process ${finding.values.pid}) and does not answer agents.`,
        fix: `kill -CONT ${finding.values.pid}   # or fg, in the terminal where it was suspended`,
      };
    case "editor-silent": {
      const { editor, seconds } = finding.values;
      return {
        text: `${at(editor)} accepts connections but has not answered in ${seconds} s: it hangs or is very busy. Wait, or ${editor.isServe === true ? `restart \`${program} serve\`` : "reload its window"}.`,
      };
    }
    case "editor-slow": {
      const { editor, seconds } = finding.values;
      return { text: `${at(editor)} answers slowly (${seconds} s). ${agents} ${verb("waits", "wait")} for it.` };
    }
    case "editor-full":
      return {
        text: `${at(finding.values.editor)} has reached its limit of connected agents. Exit one of them first.`,
      };
    case "port-of-another-program": {
      const { editor, paths, isSurelyEnded } = finding.values;
      const points = paths.length === 1 ? "points" : "point";
      const text = `${listOf(paths, "and")} ${points} ${agents} to port ${editor.port}, where another program listens instead of ${editor.name}`;
      return isSurelyEnded
        ? { text: `${text}, which has exited.`, fix: removeFiles(paths) }
        : { text: `${text}. ${reload(editor)}` };
    }
    case "takes-ended-editor": {
      const { editor, path, isSurelyEnded, better } = finding.values;
      const text = `${agents} chooses ${at(editor)}, which has exited, and tries no other: ${path} and a variable in this terminal point to it.`;
      if (better !== undefined)
        return { text: `${text} ${at(better)} has this folder open.`, fix: envOf(better, shell) };
      return isSurelyEnded ? { text, fix: removeFiles([path]) } : { text };
    }
    case "port-left-over":
      return {
        text: `${finding.values.variables.join(", ")} (${finding.values.port}) ${finding.values.variables.length === 1 ? "is" : "are"} left over from an editor that has exited. ${agents} ${verb("ignores", "ignore")} that.`,
      };
    case "port-without-token":
      return {
        text: `${agents} ${verb("connects", "connect")} to the port that ${finding.values.variable} names without a token, so every editor refuses ${verb("it", "them")}.`,
        fix: `${renew}   # names the port in a form that ${agents} ${verb("leaves", "leave")} alone`,
      };
    case "context-off":
      return {
        text: `${agents} ${verb("does", "do")} not tell ${verb("its model", "their models")} what you have open and selected: file context is off in ${finding.values.file}.`,
        fix: `ctrl+p   # in ${agents}, then choose Enable file context`,
      };
    case "program-in-place-of-editor": {
      const { variable, file } = finding.values;
      return {
        text: `${variable} is set${file === undefined ? "" : ` in ${file}`}: ${agents} may start that program instead of looking for an editor.`,
        ...(file === undefined ? { fix: shell.unset(variable) } : {}),
      };
    }
    case "looks-on-container-host":
      return {
        text: `In this container, ${agents} looks for its editor only on the container's host.`,
        fix: "export REMOTE_CONTAINERS=true",
      };
    case "temporary-directory-differs": {
      const { editor, theirs, ours } = finding.values;
      return {
        text: `${at(editor)} uses ${theirs} for temporary files, but this terminal uses ${ours}, so ${agents} does not find it.`,
        fix: shell.withVariable(variables.temporary, theirs, command),
      };
    }
    case "home-differs": {
      const { editor, theirs, ours } = finding.values;
      return {
        text: `The home directory of ${at(editor)} is ${theirs}, but this terminal's is ${ours}, so ${agents} ${verb("does", "do")} not find it.`,
        fix: shell.withVariable(variables.home, theirs, command),
      };
    }
    case "variable-differs": {
      const { editor, variable, file, theirs, ours } = finding.values;
      if (file !== undefined) {
        return {
          text: `${agents} takes ${variable} ${ours ?? ""} from ${file}, but ${at(editor)} was started ${theirs === undefined ? "without it" : `with ${theirs}`}, so ${agents} does not find it. Take the line out, or set the variable where your editors get it, too.`,
        };
      }
      const text = `${at(editor)} was started ${theirs === undefined ? `without ${variable}` : `with ${variable} ${theirs}`}, but this terminal has ${ours === undefined ? "none" : ours}, so ${agents} does not find it.`;
      return {
        text,
        fix: shell.withVariable(variable, theirs, command),
      };
    }
    case "root-by-sudo":
      return {
        text: `You are root through sudo, so ${agents} ${verb("looks", "look")} for root's editors. Exit sudo and start the agent as ${finding.values.user}.`,
      };
    case "not-installed":
      return {
        text: `${agents} was not found: ${finding.values.command} is not on this terminal's PATH (aliases cannot be seen from here).`,
        fix: `npm install --global ${finding.values.package}`,
      };
    case "agent-too-old": {
      const { version, needed, package: name } = finding.values;
      return {
        text: `${agents} ${version} is too old to find an editor from this terminal: it needs ${needed} or later.`,
        fix: `npm install --global ${name}`,
      };
    }
    case "directory-of-another-user": {
      const { directory, uid, isTemporary } = finding.values;
      const text = `${directory} belongs to another user (uid ${uid}), so your editors cannot announce themselves to ${agents} there.`;
      // What was made there by sudo is the user's to take back.
      if (uid === 0 && !isTemporary) {
        return { text, fix: `sudo chown -R "$(id -u):$(id -g)" ${quote(directory)}` };
      }
      const own = isTemporary ? ", or give the editor and the agent a TMPDIR of your own" : "";
      return { text: `${text} Ask its owner to remove it${own}.` };
    }
    case "directory-is-a-link":
      return {
        text: `${finding.values.directory} is a symbolic link that Patchbay does not follow, so ${agents} ${verb("finds", "find")} no record there. Links are followed only in your home directory, and only to a directory that nobody else can change.`,
      };
    case "directory-is-none":
      return {
        text: `${finding.values.directory} is not a directory, so no editor can announce itself to ${agents} there.`,
        fix: shell.move(finding.values.directory, `${finding.values.directory}.old`),
      };
    case "directory-closed":
      return {
        text: `You cannot read ${finding.values.directory}, so ${agents} ${verb("finds", "find")} no editor there.`,
      };
    case "directory-open-to-others":
      return {
        text: `Other users can write to ${finding.values.directory}, and could direct ${agents} to their own editor.`,
        fix: `chmod go-w ${quote(finding.values.directory)}`,
      };
    case "record-of-another-user":
      return {
        text: `${finding.values.path} belongs to another user (uid ${finding.values.uid}); ${agents} ignores it.`,
      };
    case "record-readable-by-others":
      return {
        text: `Other users can read the token in ${finding.values.path}.`,
        fix: `chmod 600 ${quote(finding.values.path)}`,
      };
    case "record-not-understood":
      return { text: `${finding.values.path} is not a valid record for ${agents}, and is skipped.` };
    case "record-left-over": {
      const { paths, editor, isSurelyEnded } = finding.values;
      const several = paths.length > 1;
      return isSurelyEnded
        ? {
            text: `${paths.join(", ")} ${several ? "are" : "is"} left over from ${editor.name}, which has exited.`,
            fix: removeFiles(paths),
          }
        : {
            text: `${paths.join(", ")} ${several ? "are records" : "is a record"} of ${editor.name}, but nothing answers on its port ${editor.port}.`,
          };
    }
    case "record-of-ended-process": {
      const { path, editor, pid } = finding.values;
      return {
        text: `${path} names process ${pid}, which has exited: ${agents} deletes it, although ${editor.name} answers. ${reload(editor)}`,
      };
    }
    case "record-without-editor-names":
      return {
        text: `${finding.values.path} does not name its editor (ideInfo), so ${agents} accepts it only in the terminals of a few editors.`,
      };
    case "record-missing":
      return {
        text: `${at(finding.values.editor)} has this folder open, but there is no record for ${agents} in ${finding.values.directory}. ${reload(finding.values.editor)} If that does not help, run the editor's own diagnosis.`,
      };
    case "editor-mode-off": {
      const { file, userFile, variable } = finding.values;
      if (variable !== undefined) {
        const where = file === undefined ? `${variable} of this terminal` : `${variable} in ${file}`;
        const ask = `${connectInput} in a running one`;
        return {
          text: `${agents} connects to no editor by itself (${where}).`,
          fix:
            file === undefined
              ? `${shell.unset(variable)}   # or ${ask}`
              : `${connectInput}   # type this in ${agents}`,
        };
      }
      const where = file === undefined ? "" : ` (ide.enabled in ${file})`;
      const text = `${agents}'s IDE mode is off${where}, so it does not look for an editor.`;
      return file === undefined || file === userFile
        ? { text, fix: `${connectInput}   # type this in ${agents}` }
        : { text: `${text} Change it there: that file overrides yours.` };
    }
    case "editor-mode-not-chosen":
      return {
        text: `${agents} has not been told to use an editor yet. If it offers to install an extension, answer No, then turn on IDE mode.`,
        fix: `${connectInput}   # type this in ${agents}`,
      };
    case "never-asks": {
      const { mode, setting, asking, file, userFile, command, input } = finding.values;
      const where = file === undefined ? "by default" : `in ${file}`;
      const now = input === undefined ? `${command}   # ` : `${input}   # type this in ${agents}; `;
      return {
        text: `${agents}'s ${setting} is "${mode}" ${where}: it writes without asking, and shows no changes in an editor.`,
        fix: `${now}to keep it: "${asking}" in ${file ?? userFile}`,
      };
    }
    case "hook-installed":
      return {
        text: `The hook of ${agents} is installed (${finding.values.file}): changes are reviewed in every mode.`,
      };
    case "hook-broken": {
      const { file, missing } = finding.values;
      const why = missing === undefined ? "is installed only in part" : `cannot run ${missing}`;
      return {
        text: `The hook of ${agents} in ${file} ${why}: it does not review every change.`,
        fix: installHook(finding),
      };
    }
    case "hook-not-installed":
      return {
        text: `Changes by ${agents} are not shown in an editor, because Patchbay's hook is not installed.`,
        fix: installHook(finding),
      };
    case "hook-off": {
      const { setting, file } = finding.values;
      return { text: `${agents} runs no hooks (${setting} in ${file}), so its hook reviews nothing. Change it there.` };
    }
    case "hook-needs-trust":
      return {
        text: `The hook of ${agents} is installed in this folder's settings (${finding.values.file}): it runs only if you trust this folder in ${agents}.`,
      };
    case "hook-untrusted":
      return {
        text: `${agents} has not been told to trust the hook in ${finding.values.file}, and runs none of it: you review nothing. It asks at its next start; choose to trust it there.`,
      };
    case "hook-beside-others": {
      const { file, commands } = finding.values;
      return {
        text: `${agents} runs other hooks before it writes, too (${file}), which may refuse or change what you have reviewed: ${commands.join("; ")}`,
      };
    }
    case "policy-without-hook":
      return {
        text: `${finding.values.file} wants changes of ${agents} reviewed in every mode, but the hook that does it is not installed.`,
        fix: installHook(finding),
      };
    case "settings-not-json":
      return { text: `${finding.values.file} is not valid JSON, so ${agents} cannot use it. Correct it.` };
    case "policy-unclear":
      return { text: `${finding.values.file} is not understood, and counts as if it were not there.` };
    case "shows-changes-in-terminal": {
      const { file } = finding.values;
      return {
        text: `${agents}'s diffTool is "terminal"${file === undefined ? "" : ` in ${file}`}: it shows no changes in an editor.`,
        fix: `/config   # type this in ${agents}, and set the diff tool to auto`,
      };
    }
  }
}

const reasons: Readonly<Record<ChoiceReason, string>> = {
  only: "the only one that answers",
  "port-variable": "the one that this terminal's variables name",
  "own-process": "the one that this terminal belongs to",
  "largest-process": "the one with the largest process id",
  "nearest-folder": "the one with the nearest folder",
  newest: "the one with the newest record",
};

function installHook({ agents: [agent, ...others] }: Finding): string {
  return `${program} hook install${agent === undefined || others.length > 0 ? "" : ` ${agent}`}`;
}

function at({ name, port }: NamedEditor): string {
  return `${name} (port ${port})`;
}

function envOf({ port }: NamedEditor, shell: ShellWords): string {
  return shell.evaluate(`${program} env --port ${port}`);
}
