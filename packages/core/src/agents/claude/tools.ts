import * as z from "zod";
import { isSecretPath } from "../../context/sharing-policy.ts";
import type { HostDocuments } from "../../editor-host.ts";
import type { SessionServices } from "../dialect.ts";
import { defineTool, errorResult, type TextResult, textResult, type Tool } from "../tool.ts";
import { type DiagnosticsServices, readDiagnostics } from "../diagnostics.ts";
import { selectionOf, toFileUri } from "../selection.ts";
import type { Range } from "../../context/model.ts";

/**
 * How long Claude Code waits for an answer, ms: before an edit it asks about one file, before its next request about all
 * (docs/protocols/claude.md, "Diagnostics"). After three questions about a file that were answered later it asks no more.
 */
const patienceMs = { file: 500, all: 2_000 } as const;

const parameters = z.object({ uri: z.string().optional() });

/** getDiagnostics: in time, and with every path as it is, because Claude Code neither encodes nor decodes any. */
export function createDiagnosticsTool(services: DiagnosticsServices): Tool {
  return defineTool({
    name: "getDiagnostics",
    description: "Errors and warnings the editor shows, of one file or of the whole workspace.",
    inputSchema: {
      type: "object",
      properties: { uri: { type: "string", description: "file:// URI; all files when absent" } },
    },
    parse: parameters,
    run: async ({ uri }, signal) => {
      const mayQuote = (path: string): boolean => !isSecretPath(path);
      const files = await readDiagnostics(services, { uri, patienceMs, mayQuote, signal });
      if (files === undefined) return errorResult("The uri is not a file:// URI.");
      // In the form of the question, by which the answer is looked for.
      const name = uri === undefined || uri === "" ? undefined : uri;
      return json(files.map(({ path, diagnostics }) => ({ uri: name ?? `file://${path}`, diagnostics })));
    },
  });
}

/** Most of a document that is searched for openFile's start and end texts, bytes. */
const searchLimitBytes = 2_000_000;

const noArguments = z.object({});
const fileArguments = z.object({ filePath: z.string() });
const openFileArguments = z.object({
  filePath: z.string(),
  preview: z.boolean().optional(),
  startText: z.string().optional(),
  endText: z.string().optional(),
  selectToEndOfLine: z.boolean().optional(),
  makeFrontmost: z.boolean().optional(),
});
const filePathSchema = {
  type: "object" as const,
  properties: { filePath: { type: "string" } },
  required: ["filePath"],
};
const emptySchema = { type: "object" as const, properties: {} };

/** getDiagnostics, openFile and the other tools of the protocol. */
export function createWorkspaceTools(services: SessionServices): readonly Tool[] {
  const { host } = services;
  return [
    createDiagnosticsTool(services),
    defineTool({
      name: "openFile",
      description: "Opens a file in the editor and optionally selects a range of text.",
      inputSchema: {
        type: "object",
        properties: {
          filePath: { type: "string" },
          preview: { type: "boolean" },
          startText: { type: "string" },
          endText: { type: "string" },
          selectToEndOfLine: { type: "boolean" },
          makeFrontmost: { type: "boolean" },
        },
        required: ["filePath"],
      },
      parse: openFileArguments,
      run: async (args) => openFile(args, services),
    }),
    defineTool({
      name: "getOpenEditors",
      description: "Files that are open in the editor.",
      inputSchema: emptySchema,
      parse: noArguments,
      run: async () => {
        const { files, active } = services.context();
        const tabs = files.map((file) => ({
          uri: toFileUri(file.path),
          filePath: file.path,
          label: file.path.slice(Math.max(file.path.lastIndexOf("/"), file.path.lastIndexOf("\\")) + 1),
          isActive: active?.path === file.path,
          isDirty: host.documents?.isDirty(file.path) ?? false,
          languageId: host.documents?.languageId(file.path) ?? "plaintext",
        }));
        return json({ tabs });
      },
    }),
    defineTool({
      name: "getWorkspaceFolders",
      description: "Folders of the workspace.",
      inputSchema: emptySchema,
      parse: noArguments,
      run: async () => {
        const folders = services
          .folders()
          .map((path) => ({ name: path.slice(path.lastIndexOf("/") + 1), uri: toFileUri(path), path }));
        return json({ success: true, folders, rootPath: folders[0]?.path ?? null });
      },
    }),
    ...["getCurrentSelection", "getLatestSelection"].map((name) =>
      defineTool({
        name,
        description: "The text that is selected in the editor.",
        inputSchema: emptySchema,
        parse: noArguments,
        run: async () => {
          const context = services.context();
          if (context.active === undefined)
            return json({ success: false, message: "No file is active in the editor." });
          return json({ success: true, ...selectionOf(context) });
        },
      }),
    ),
    defineTool({
      name: "checkDocumentDirty",
      description: "Whether an open document has unsaved changes.",
      inputSchema: filePathSchema,
      parse: fileArguments,
      run: async ({ filePath }) => {
        const isDirty = services.mayName(filePath) ? host.documents?.isDirty(filePath) : undefined;
        return isDirty === undefined
          ? json({ success: false, message: `The document is not open: ${filePath}` })
          : json({ success: true, filePath, isDirty, isUntitled: false });
      },
    }),
    defineTool({
      name: "saveDocument",
      description: "Saves an open document.",
      inputSchema: filePathSchema,
      parse: fileArguments,
      run: async ({ filePath }) => {
        const { inside } = await services.checkPath(filePath);
        if (!inside) return errorResult("The file is outside the workspace.");
        if (!services.mayName(filePath) || host.documents?.isDirty(filePath) === undefined)
          return json({ success: false, message: `The document is not open: ${filePath}` });
        const saved = await host.documents.save(filePath);
        return json({
          success: saved,
          filePath,
          saved,
          message: saved ? "Document saved." : "The document could not be saved.",
        });
      },
    }),
  ];
}

async function openFile(args: z.infer<typeof openFileArguments>, services: SessionServices): Promise<TextResult> {
  const documents = services.host.documents;
  if (documents === undefined) return errorResult("This editor cannot open files for an agent.");
  const { inside, exists } = await services.checkPath(args.filePath);
  if (!inside) return errorResult("The file is outside the workspace.");
  // A new file that is not on disk yet may be open all the same.
  if (!exists && documents.isDirty(args.filePath) === undefined) return errorResult("File not found.");
  const view = { path: args.filePath, preview: args.preview ?? false, focus: false };
  const range = await rangeOf(args, documents);
  await documents.open({ ...view, ...(range === undefined ? {} : { range }) });
  // The text of a file that was not open before can be searched only now.
  const found = range === undefined ? await rangeOf(args, documents) : undefined;
  if (found !== undefined) await documents.open({ ...view, range: found });
  return args.makeFrontmost === false
    ? json({ success: true, filePath: args.filePath, languageId: documents.languageId(args.filePath) ?? "plaintext" })
    : textResult(`Opened file: ${args.filePath}`);
}

/** Finds the texts in the document; lines and characters 0-based. */
async function rangeOf(args: z.infer<typeof openFileArguments>, documents: HostDocuments): Promise<Range | undefined> {
  const startText = toLineFeeds(args.startText ?? "");
  // Of a file with secrets, where the cursor went would tell whether a guess was right.
  if (startText === "" || isSecretPath(args.filePath)) return undefined;
  // Agents know a file's lines, not their ends. Lines and characters are the same in both.
  const text = toLineFeeds((await documents.readText(args.filePath, searchLimitBytes)) ?? "");
  const from = text.indexOf(startText);
  if (from < 0) return undefined;
  let to = from + startText.length;
  const endText = toLineFeeds(args.endText ?? "");
  if (endText !== "") {
    const end = text.indexOf(endText, to);
    if (end >= 0) to = end + endText.length;
  }
  if (args.selectToEndOfLine === true) {
    const lineEnd = text.indexOf("\n", to);
    to = lineEnd < 0 ? text.length : lineEnd;
  }
  return { start: positionAt(text, from), end: positionAt(text, to) };
}

function toLineFeeds(text: string): string {
  return text.replace(/\r\n?/gu, "\n");
}

function positionAt(text: string, offset: number): { readonly line: number; readonly character: number } {
  const before = text.slice(0, offset);
  const lastBreak = before.lastIndexOf("\n");
  return { line: before.split("\n").length - 1, character: offset - lastBreak - 1 };
}

function json(value: unknown): TextResult {
  return textResult(JSON.stringify(value));
}
