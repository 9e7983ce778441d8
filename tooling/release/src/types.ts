import { readFileSync } from "node:fs";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { type Message, publint } from "publint";
import { formatMessage } from "publint/utils";

/** These are for `require()`, which in packages that are ES modules is answered by an error, as their manifests say. */
const forOthers = new Set(["node10", "node16-cjs"]);

/** Whether the types of a package are those that its importers get; in sentences. */
export async function typeComplaints(tarball: string): Promise<readonly string[]> {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))));
  if (!result.types) return [];
  return result.problems
    .filter((problem) => !("resolutionKind" in problem) || !forOthers.has(problem.resolutionKind))
    .map((problem) => `Types: ${JSON.stringify(problem)}`);
}

/** What publint says of a package's manifest and of the forms of its files. */
export async function manifestComplaints(tarball: string): Promise<readonly string[]> {
  const data = readFileSync(tarball);
  const buffer = new Uint8Array(data).buffer;
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, level: "warning" });
  return messages
    .filter((message) => !isOfPage(message))
    .map((message) => `Manifest: ${formatMessage(message, pkg, { color: false }) ?? message.code}`);
}

/** The panel's page is for browsers, which ask no manifest in which form it is. */
function isOfPage({ code, args }: Message): boolean {
  return code === "FILE_INVALID_FORMAT" && "actualFilePath" in args && args.actualFilePath.includes("/page/");
}
