import type { Platform } from "../../platform/platform.ts";

/** Where an agent would be started: its settings are the user's, and those of the folder, which win. */
export interface SettingsPlace {
  readonly platform: Platform;
  /** Absolute; undefined where only the user's settings are asked for. */
  readonly folder: string | undefined;
}

/** What an agent's own settings say about working with an editor. Nothing that a companion sends could change it. */
export interface AgentSettings {
  /** Id of its dialect. */
  readonly agent: string;
  readonly agentName: string;
  /** Whether it is used here at all: its program is on the PATH of this process, or it has left settings in the home. */
  readonly isUsed: boolean;
  /** Whether it looks for an editor; `not-yet`: only when its user says so, who has not been asked. */
  readonly looksForEditor: "yes" | "no" | "not-yet";
  /** It takes this machine for a container whose editor is on the host, and looks there (docs/protocols/gemini.md). */
  readonly looksOnContainerHost: boolean;
  /** Whether it shows changes in an editor at all. */
  readonly showsChanges: boolean;
  /** Whether it asks before it writes. Where it does not, no change is ever shown. */
  readonly asks: boolean;
  /** The mode that decides it; undefined where none is set. */
  readonly mode: string | undefined;
  /** What counts where none is set. */
  readonly defaultMode: string;
  /** Name of that setting, e.g. `tools.approvalMode`, and the user's file in which it stands. `default` there has it ask. */
  readonly modeSetting: string;
  readonly settingsFile: string;
  /** The files, of the user or of the folder, that decide the above; undefined: none does, and its default counts. */
  readonly decidedBy: {
    readonly looksForEditor: string | undefined;
    readonly showsChanges: string | undefined;
    readonly mode: string | undefined;
  };
  /** Starts it so that it asks, whatever its settings say. */
  readonly askingCommand: string;
  /** What is typed in a running one to have it ask; undefined where it knows no such thing. */
  readonly askingInput: string | undefined;
}
