import type { PromptBlock } from "@patchbay/conversations/model";
import type { Words } from "../../store/use-panel.ts";

const types: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Bytes of the largest image that is sent. */
const largest = 5 * 1024 * 1024;

/** Bytes of the largest text that is sent beside the message. */
const largestText = 256 * 1024;

export type FileProblem =
  | "compose.fileType"
  | "compose.imageStill"
  | "compose.imageTooLarge"
  | "compose.imageType"
  | "compose.noImages";

interface Read {
  readonly blocks: readonly PromptBlock[];
  readonly problem?: FileProblem;
}

/** Reads what was pasted or dropped: images, and texts, of which a pasted one has no name. */
export async function readFiles(files: readonly File[], takesImages: boolean, words: Words): Promise<Read> {
  const images = files.filter(({ type }) => type.startsWith("image/"));
  const texts = await Promise.all(files.filter((file) => !images.includes(file)).map((file) => excerptOf(file, words)));
  const blocks = texts.filter((block) => block !== undefined);
  const problem = blocks.length < texts.length ? ({ problem: "compose.fileType" } as const) : {};
  if (images.length === 0) return { blocks, ...problem };
  if (!takesImages) return { blocks, problem: "compose.noImages" };
  const read = await readImages(images);
  return { ...problem, ...read, blocks: [...blocks, ...read.blocks] };
}

/** Undefined: it is no text, or too long. */
async function excerptOf(file: File, words: Words): Promise<PromptBlock | undefined> {
  if (file.size > largestText) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    if (text.includes("\0")) return undefined;
    const title = file.name === "" ? words("compose.pasted", { count: text.split("\n").length }) : file.name;
    return { type: "excerpt", title, text };
  } catch {
    return undefined;
  }
}

/** The longest side of what is drawn anew, px: longer ones no model looks at, and each next one is tried where the one before is too large. */
const longestSides = [2_576, 1_568, 1_024] as const;

/** What is too large, or of another kind, is drawn anew. */
async function readImages(files: readonly File[]): Promise<Read> {
  const blocks: PromptBlock[] = [];
  let problem: FileProblem | undefined;
  for (const file of files) {
    const isSent = types.has(file.type) && file.size <= largest;
    // oxlint-disable-next-line no-await-in-loop -- one at a time: they may be large
    const image = isSent ? file : await drawnAnew(file).catch(() => undefined);
    if (image === undefined || image.size > largest) {
      problem = types.has(file.type) ? "compose.imageTooLarge" : "compose.imageType";
      continue;
    }
    // oxlint-disable-next-line no-await-in-loop
    const data = await base64(image);
    // What moves stands still in what is drawn anew.
    if (image !== file && file.type === "image/gif") problem ??= "compose.imageStill";
    blocks.push({ type: "image", mimeType: image.type, data, ...(file.name === "" ? {} : { name: file.name }) });
  }
  return problem === undefined ? { blocks } : { blocks, problem };
}

/** Rejects where the browser cannot read it. */
async function drawnAnew(file: File): Promise<Blob> {
  const bitmap = await createImageBitmap(file);
  try {
    for (const longest of longestSides) {
      const canvas = drawn(bitmap, longest);
      for (const kind of [{ type: "image/png" }, { type: "image/webp", quality: 0.9 }]) {
        // oxlint-disable-next-line no-await-in-loop -- the next one is for where this one is too large
        const blob = await canvas.convertToBlob(kind);
        if (blob.size <= largest) return blob;
      }
    }
  } finally {
    bitmap.close();
  }
  throw new Error("The image is too large.");
}

function drawn(bitmap: ImageBitmap, longest: number): OffscreenCanvas {
  const scale = Math.min(1, longest / Math.max(bitmap.width, bitmap.height));
  // A side that is far shorter keeps a pixel: a canvas without one cannot be saved.
  const scaled = (side: number): number => Math.max(1, Math.round(side * scale));
  const canvas = new OffscreenCanvas(scaled(bitmap.width), scaled(bitmap.height));
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}

async function base64(file: Blob): Promise<string> {
  return await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("error", () => reject(reader.error ?? new Error("The image could not be read.")));
    reader.addEventListener("load", () => {
      const { result } = reader;
      resolve(typeof result === "string" ? result.slice(result.indexOf(",") + 1) : "");
    });
    reader.readAsDataURL(file);
  });
}
