import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Companion } from "@patchbay/core";
import { parseFilePlace, toOpenPlace } from "../host/file-place.ts";
import type { HeadlessHost } from "../host/headless-host.ts";
import { escapeLine } from "../terminal/escape-text.ts";
import { describeContext, describeSession } from "./describe-session.ts";
import { pathInFolder } from "./path-in-folder.ts";

export interface ServeCommandsOptions {
  readonly companion: Companion;
  readonly host: HeadlessHost;
  readonly folder: string;
  readonly print: (text: string) => void;
  /** Puts a proposal in front. */
  readonly review: (id: string) => void;
}

const help = `open <file[:line[-line]]>   show agents a file, and lines of it as selected
close <file>                 take it away again
mention <file[:line-line]>   put it into the prompt of agents that can (Claude Code)
sessions                     who is connected, and what they see
proposals                    what waits for you
review [number]              go (back) to a proposal
quit`;

/** Carries out a command line that is no answer to a question. */
export function runServeCommand(line: string, options: ServeCommandsOptions): void {
  const { companion, host, folder, print } = options;
  const [, word = "", argument = ""] = /^(\S+)\s*(.*)$/u.exec(line) ?? [];
  const waiting = host.diffs.waiting;
  switch (word) {
    case "open":
      return openFile(argument, options);
    case "close": {
      const path = resolve(folder, argument);
      if (!host.editors.close(path)) print(`${pathInFolder(path, folder)} was not open.`);
      return;
    }
    case "mention": {
      const count = mentionFile(argument, options);
      return print(count === 0 ? noMentions : `${count} agent(s) took it.`);
    }
    case "sessions": {
      const { sessions } = companion;
      if (sessions.length === 0) print("No agent is connected.");
      for (const session of sessions) print(describeSession(session, Date.now()));
      return print(describeContext(companion.sharedContext(), folder));
    }
    case "proposals": {
      if (waiting.length === 0) print("Nothing waits for you.");
      for (const [index, { request }] of waiting.entries()) {
        print(`${index + 1}  ${escapeLine(request.agentName)}: ${request.kind} ${pathInFolder(request.path, folder)}`);
      }
      return;
    }
    case "review": {
      const chosen = waiting[argument === "" ? 0 : Number(argument) - 1];
      if (chosen === undefined) return print("There is no such proposal. Type: proposals");
      return options.review(chosen.request.id);
    }
    case "help":
      return print(help);
    default:
      print(`There is no command "${escapeLine(word)}". Type: help`);
  }
}

/** What to say when a mention reached nobody. */
export const noMentions = "No connected agent takes mentions.";

/** Puts a file, or lines of it, into the prompt of agents that can; says how many took it. */
export function mentionFile(
  argument: string,
  { companion, folder }: Pick<ServeCommandsOptions, "companion" | "folder">,
): number {
  const { path, lines } = parseFilePlace(argument, folder);
  return companion.mention(
    path,
    lines === undefined ? undefined : { start: lines.start, end: lines.end ?? lines.start },
  );
}

/** Opens a file in the eyes of the agents; says why not. */
export function openFile(argument: string, options: Pick<ServeCommandsOptions, "host" | "folder" | "print">): void {
  const place = parseFilePlace(argument, options.folder);
  if (statSync(place.path, { throwIfNoEntry: false })?.isFile() === true) options.host.editors.open(toOpenPlace(place));
  else options.print(`There is no file ${pathInFolder(place.path, options.folder)}.`);
}
