import { createCompanion, Emitter, type EditorChange, type EditorHost } from "@patchbay/core";

const editorChange = new Emitter<EditorChange>();
const foldersChange = new Emitter<void>();
const trustChange = new Emitter<void>();

const host: EditorHost = {
  // Use your own name: if you claim to be "vscode", agents offer to install the wrong extension.
  identity: { name: "tiny", displayName: "Tiny", version: "1.0.0", pids: [process.pid] },
  // Port, token and drafts are stored here, so that agents and reviews survive a reload. Core makes it 0700.
  storageDirectory: undefined,
  workspace: {
    folders: () => [process.cwd()],
    trusted: () => undefined,
    onDidChangeFolders: foldersChange.event,
    onDidChangeTrust: trustChange.event,
  },
  editors: {
    openFiles: () => [],
    active: () => undefined,
    onDidChange: editorChange.event,
  },
  diffs: {
    open: async (request, events) => {
      console.log(`${request.agentName} wants to ${request.kind} ${request.path}:\n${request.proposedText}`);
      // Call these when the user decides; this example asks nobody.
      queueMicrotask(() => events.rejected());
      return {
        kind: "opened",
        view: {
          currentText: async () => request.draftText ?? request.proposedText,
          reveal: async () => {},
          close: async () => {},
          setAgentPresent: () => {},
          // The file has changed: show both texts of the update and return "applied".
          update: async () => "gone",
          setStanding: () => {},
        },
      };
    },
  },
  messages: {
    show: async (message) => {
      console.log(message.text, message.actions);
      return undefined;
    },
  },
};

const companion = createCompanion({ host });
await companion.start();
process.once("SIGINT", () => void companion.stop());
// Set these in the terminals you open, so that agents find this editor at once.
console.log(companion.environment);
process.once("exit", () => companion.removeRecordsSync());
