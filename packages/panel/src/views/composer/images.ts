import type { PromptBlock } from "@patchbay/conversations/model";

const types: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Bytes of the largest image that is sent. */
const largest = 5 * 1024 * 1024;

export type ImageProblem = "compose.imageTooLarge" | "compose.imageType";

/** Reads images from what was pasted or dropped. */
export async function readImages(
  files: readonly File[],
): Promise<{ readonly blocks: readonly PromptBlock[]; readonly problem?: ImageProblem }> {
  const blocks: PromptBlock[] = [];
  let problem: ImageProblem | undefined;
  for (const file of files) {
    if (!types.has(file.type)) problem = "compose.imageType";
    else if (file.size > largest) problem = "compose.imageTooLarge";
    else {
      // oxlint-disable-next-line no-await-in-loop -- one at a time: they may be large
      const data = await base64(file);
      blocks.push({ type: "image", mimeType: file.type, data, ...(file.name === "" ? {} : { name: file.name }) });
    }
  }
  return problem === undefined ? { blocks } : { blocks, problem };
}

async function base64(file: File): Promise<string> {
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
