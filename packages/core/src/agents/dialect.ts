import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { EditorContext } from "../context/model.ts";
import type { DiffOutcome, ProposalInput } from "../diff/model.ts";
import type { EditorHost, HostIdentity } from "../editor-host.ts";
import type { EndpointAddress, LocalSocketAddress, Platform } from "../platform/platform.ts";
import type { PiecedText } from "../support/json-pieces.ts";
import type { Logger } from "../support/logger.ts";
import type { Choice, ChoiceFacts, ReadRecord } from "./choice.ts";
import type { ContextQuestions } from "./context-questions.ts";
import type { AgentHook } from "./hook.ts";
import type { AgentService } from "./service.ts";
import type { AgentStart, OwnSettings, SettingsPlace } from "./settings.ts";
import type { Surroundings } from "./surroundings.ts";

/**
 * A dialect is how one family of agents speaks: where it looks for a companion (small, loaded at start) and what it says
 * (loaded when the first agent has authenticated). It knows no editor, and no other dialect.
 */
export interface Dialect<Id extends string = string> {
  /** Stable id, e.g. `gemini`; part of session ids, and the name of the agent's token. */
  readonly id: Id;
  /** Name of the agent for people, e.g. `Gemini CLI`. */
  readonly agentName: string;
  /** What it is started with, and the package that brings it. */
  readonly program: { readonly command: string; readonly package: string };
  /** How it is started so that it asks before it writes, whatever its own settings say; absent: its command line has no say in that. */
  readonly asking?: AskingMode;
  /**
   * What has it look for an editor: typed into a running one, and the command that starts it so, where there is one; absent: it knows no
   * editor, and only its hook does.
   */
  readonly connecting?: { readonly input: string; readonly command?: string };
  /** Whether it offers to install an extension when it first meets an editor. Nobody needs that. */
  readonly offersExtension: boolean;
  /** Whether it writes what the user made of its proposal. Else its reviews are for reading, unless its hook asks. */
  readonly takesEdits: boolean;
  /** Whether files and lines can be put into its prompt (`SessionEngine.encodeMention`). */
  readonly takesMentions: boolean;
  /** Its own protocol carries what is open, and no changes to be reviewed. */
  readonly contextOnly?: true;
  /** `hook`: it has no protocol for editors, and all that it says comes by its hook. */
  readonly transport: ClientFacts["transport"] | "hook";
  /** It comes in by a socket of the system's and not by a port (`LocalSocket`); absent: by the port. */
  readonly door?: "socket";
  /** The header, in small letters, in which it shows its token over a WebSocket; absent: `authorization`. */
  readonly tokenHeader?: string;
  /** The variable that names the editor's port to it; absent: it knows no such thing. */
  readonly portVariable?: string;
  /** The agent whose records it reads, so that it comes with the token of that one (`recognise` tells them apart); absent: it has its own. */
  readonly recordsOf?: string;
  /** The variable that names a program for it to talk to in place of an editor; absent: it knows no such thing. */
  readonly programVariable?: string;
  /** What it demands of a record beside a folder that fits. */
  readonly demands: RecordDemands;
  /** The directories in which it looks for records, and those in which only its older versions do. */
  places(surroundings: Surroundings): readonly RecordPlace[];
  /** The files through which the agent finds the companion. Called at start and whenever the facts change; cheap. */
  records(facts: DiscoveryFacts): readonly DiscoveryRecord[];
  /** Variables for terminals opened in the editor. Never a token where a record can carry it. */
  environment(facts: DiscoveryFacts): Readonly<Record<string, string>>;
  /** A version that its clients tell whatever their own is, and that therefore says nothing. */
  readonly constantVersion?: string;
  /**
   * How sure this dialect is that a connecting client is its agent: 0 no, higher is surer. Of several that are equally sure it is the
   * one whose program connects, where the system tells, else the first of the catalogue.
   */
  recognise(client: ClientFacts): number;
  /** Loads the part that speaks; absent: it has no protocol for editors. */
  load?(): Promise<DialectEngine>;
  /** Loads what understands the hooks of the agent; absent: it has none that are served. */
  loadHook?(): Promise<AgentHook>;
  /** Loads what answers its own question what is open, which it asks by no protocol for editors; absent: it asks none. */
  loadQuestions?(): Promise<ContextQuestions>;
  /** Loads what speaks with a service of its own, of which an editor can be a client; absent: it has none that is served. */
  loadService?(): Promise<AgentService>;
  /** Loads what a diagnosis asks. */
  loadChecks(): Promise<AgentChecks>;
}

/** The mode of an agent in which it asks before it writes. */
export interface AskingMode {
  /** What editors call the setting with which their users choose it, e.g. `approvalMode`. */
  readonly setting: string;
  /** How it is named on the agent's command line, e.g. `--approval-mode` and `default`. */
  readonly flag: string;
  readonly value: string;
  /** Whether the agent is in it by default, so that it need not be named. */
  readonly isDefault: boolean;
}

/** What an agent demands of a record beside a folder that fits; what it finds missing makes it leave the record alone. */
export interface RecordDemands {
  /** The process that the record names must live. */
  readonly livingProcess: boolean;
  /** Both names of `ideInfo`, or it accepts the editor's own terminals only. */
  readonly editorNames: boolean;
  /** It does not follow links in the record's folders. */
  readonly realFolders: boolean;
}

/** A directory in which an agent looks for records. */
export interface RecordPlace {
  /** A directory that exists or whose parents are the system's (the temporary directory, the home). */
  readonly root: string;
  /** Levels below `root` that Patchbay makes 0700 and checks, e.g. `["gemini", "ide"]`. */
  readonly directories: readonly string[];
  /** Names of the records in it; what it names `pid` or `port` is in no other place of the record, or counts more. */
  readonly pattern: RegExp;
  /** Started now, in these surroundings, the agent looks here. */
  readonly isRead: boolean;
}

/** What an agent makes of its surroundings: a diagnosis does as it would do itself. */
export interface AgentChecks {
  /** How it is started. */
  readonly start: AgentStart;
  /** What its own settings say. Never rejects. */
  readSettings(place: SettingsPlace): Promise<OwnSettings>;
  /** Ranks the records that it reads as it does itself. */
  choose<Read extends ReadRecord>(records: readonly Read[], facts: ChoiceFacts): Promise<Choice<Read>>;
  /** The port in the text of its port variable; absent: it takes plain decimal numbers only. */
  readPort?(text: string): number | undefined;
  /** The version from which it would find one of these records, where it does not because it is an older one. */
  neededVersion?(version: string, records: readonly ReadRecord[], facts: ChoiceFacts): Promise<string | undefined>;
  /** The variable by which, in these surroundings, it dials a port without a token, so that every companion refuses it. */
  portWithoutToken?(surroundings: Pick<Surroundings, "environment">): string | undefined;
  /** Why an editor in other surroundings writes where the agent does not look in these. */
  difference(theirs: Surroundings, ours: Surroundings): SurroundingsDifference;
}

/** What sets two surroundings apart for an agent; `undefined`: the variable is not set. */
export type SurroundingsDifference =
  | { readonly of: "temporary-directory" | "home"; readonly theirs: string; readonly ours: string }
  | {
      readonly of: "variable";
      readonly variable: string;
      readonly theirs: string | undefined;
      readonly ours: string | undefined;
    };

/** `temporaryDirectory` is `identity.temporaryDirectory`, else the system's. */
export interface DiscoveryFacts extends Surroundings {
  readonly address: EndpointAddress;
  /** Where agents come in that look for no port; undefined until it is open, or where there is none. */
  readonly socket: LocalSocketAddress | undefined;
  readonly token: string;
  /** Absolute roots as opened, then real paths where they differ; never empty strings. */
  readonly folders: readonly string[];
  readonly realFolders: readonly string[];
  readonly identity: HostIdentity;
  readonly platform: Platform;
  /** Whether this machine is a container (`isInContainer`). */
  readonly inContainer: boolean;
}

export interface DiscoveryRecord extends Pick<RecordPlace, "root" | "directories"> {
  readonly fileName: string;
  /** JSON text. */
  readonly content: string;
}

/** What is known of a client when it says initialize, or when it resumes (then only the id's hint). */
export interface ClientFacts {
  readonly transport: "streamable-http" | "websocket";
  readonly clientName: string | undefined;
  readonly clientVersion: string | undefined;
  readonly protocolVersion: string | undefined;
  /** Lower-case request headers of the first request, the credentials taken out. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface DialectEngine {
  /** One protocol engine for one session (never shared: CVE-2026-25536), connected to the transport. */
  connect(services: SessionServices, transport: Transport): Promise<SessionEngine>;
  /** Whether a proposal may wait for its owner over a lost connection: false where the answer dies with it (claude.md: an open diff is not opened again). */
  readonly proposalsOutliveConnection: boolean;
  /** Whether an accepted text carries a byte order mark as the proposal did, or as the file on disk does (Gemini's write_file drops it otherwise, Qwen would get two). */
  readonly byteOrderMark: "as-proposed" | "as-on-disk";
  /** What an emptied proposal is answered with: Gemini and Qwen write the original proposal when the accepted content is empty (docs/protocols/gemini.md). */
  readonly emptiedText: "" | "\n";
  /**
   * What the agent makes of an accepted text. `text`: it writes the text. `edits`: it puts the text in the place of the
   * file as it knew it, in the file as it is by then (docs/protocols/claude.md).
   */
  readonly writes: "text" | "edits";
}

/** The speaking side of one session. */
export interface SessionEngine {
  /** The JSON text of the context update for this agent, or undefined where nothing is to be said. Pure; core compares and sends. */
  encodeContext(context: EditorContext): string | undefined;
  /** How long after the agent is ready the first context may be sent, in milliseconds (claude.md: 600 after tools/list); 0: it need not be ready. */
  readonly contextDelayMs: number;
  /** The JSON text that puts a file range into the agent's prompt, or undefined where the agent has no such notion. Lines 0-based. */
  encodeMention(mention: Mention): string | undefined;
  /** The JSON text that tells the agent how one of its proposals ended, for agents whose openDiff was answered before; undefined where nothing is said. */
  encodeOutcome(path: string, outcome: DiffOutcome): string | PiecedText | undefined;
  /** Ends the engine; the transport is closed by its owner. */
  close(): Promise<void>;
}

export interface Mention {
  readonly path: string;
  readonly lines?: { readonly start: number; readonly end: number };
}

/** What a dialect's engine may do for its one session. Diffs are those of this session and no other. */
export interface SessionServices {
  readonly sessionId: string;
  /** What the client said of itself; undefined for a session that came back by its id. */
  readonly client: ClientFacts | undefined;
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly host: EditorHost;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly diffs: SessionDiffs;
  /** The context as it would be sent now (sharing policy applied). */
  context(): EditorContext;
  /** Whether anything may be told of a file (sharing policy, paused sharing). */
  mayName(path: string): boolean;
  /** The agent finished its handshake: context and mentions may be sent after `contextDelayMs`. */
  ready(): void;
  /** The agent told its version, its process id, or what its session is about (for status views and lists). */
  describe(facts: { readonly version?: string; readonly pid?: number; readonly title?: string }): void;
  /** Shows a warning to the user in the editor, each sentence once. `values`: what was put into it, for translations. */
  tellUser(code: string, sentence: string, values: Readonly<Record<string, string>>): void;
  /** Settings and folders for tools that answer about the workspace. */
  folders(): readonly string[];
  /** A path from an agent, checked: throws PatchbayError `path-refused` with a sentence that may be sent. */
  checkPath(path: string): Promise<{ readonly inside: boolean; readonly exists: boolean }>;
}

export interface SessionDiffs {
  /**
   * Starts a review. Returns as soon as the proposal is registered; the view opens in the background. Throws PatchbayError
   * (`path-refused`, `too-large`, `invalid-argument`) before anything is opened. A second proposal for a handle that is
   * open with equal text is the first one again; with another text it takes its place, keeping what the user typed as a draft.
   * `isReadOnly`: the agent cannot take what the user would type (`DiffRequest.isReadOnly`).
   */
  open(input: ProposalInput, options?: { readonly isReadOnly?: boolean }): Promise<OpenedProposal>;
  /** The agent's terminal decided, or the agent wants the view gone. Undefined: no such proposal and no undelivered outcome. `text` is the final text. */
  close(
    handle: string,
    options: { readonly notify: boolean },
  ): Promise<{ readonly text: string; readonly edited: boolean } | undefined>;
  /** Closes every open proposal of this session; says how many. */
  closeAll(): Promise<number>;
}

export interface OpenedProposal {
  readonly id: string;
  readonly kind: "create" | "change" | "delete";
  /** Resolves exactly once with how it ended; never rejects. */
  readonly outcome: Promise<DiffOutcome>;
  /** Resolves when the view is shown (or will not be); rejects with PatchbayError `host-failed` when the editor failed (F06). */
  readonly shown: Promise<void>;
  /** The agent has cancelled its call and waits no longer: as if it had gone. Nothing happens once it has ended. */
  abandon(): void;
}
