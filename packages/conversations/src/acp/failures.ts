import type { NoticeEntry } from "../model/index.ts";
import * as z from "zod";
import type { RpcError } from "./json-rpc.ts";
import { maybe } from "./lenient.ts";

/** What went wrong, for people, and what they can do about it. */
export interface Failure {
  readonly text: string;
  readonly detail?: string;
  readonly action?: NonNullable<NoticeEntry["action"]>;
}

/** Codes of errors with a meaning of their own. */
export const rpcCodes = {
  authRequired: -32_000,
  notFound: -32_002,
  invalidParams: -32_602,
  internal: -32_603,
} as const;

/** Whether an agent wants its user to sign in first. */
export function asksForSignIn(error: RpcError): boolean {
  return error.code === rpcCodes.authRequired;
}

/** Whether a session is not there: some have a code for it, others say it. */
export function isSessionMissing(error: RpcError): boolean {
  if (error.code === rpcCodes.notFound) return true;
  return error.code === rpcCodes.internal && /session/iu.test(wordsOf(error));
}

/** A sentence for an error that a prompt ended with. */
export function failureOf(error: RpcError, agentName: string): Failure {
  if (asksForSignIn(error)) return signInNeeded(agentName);
  const words = wordsOf(error);
  const status = statusOf(error, words);
  const detail = words === "" ? {} : { detail: words };
  if (status === 401 || status === 403) {
    return {
      text: `The model service did not accept the credentials of ${agentName} (${status}). Sign in again, or check its key.`,
      ...detail,
      action: "sign-in",
    };
  }
  if (status === 429) {
    return {
      text: `The model service is not accepting more requests right now (429). Try again later.`,
      ...detail,
      action: "retry",
    };
  }
  if (status !== undefined && status >= 500) {
    return { text: `The model service failed (${status}). Try again.`, ...detail, action: "retry" };
  }
  if (status !== undefined) {
    return { text: `The model service refused the request (${status}).`, ...detail };
  }
  return words === ""
    ? { text: `${agentName} could not finish the turn (error ${error.code}). Try again.`, action: "retry" }
    : { text: `${agentName} could not finish the turn: ${firstLine(words)}`, ...detail, action: "retry" };
}

/** What is said where an agent wants its user to sign in. */
export function signInNeeded(agentName: string): Failure {
  return { text: `${agentName} needs you to sign in. Sign in, then try again.`, action: "sign-in" };
}

/** A sentence for an error that anything else ended with, e.g. the choice of a model. */
export function refusalOf(error: RpcError, agentName: string): string {
  const words = firstLine(wordsOf(error));
  return words === "" ? `${agentName} refused (error ${error.code}).` : `${agentName} refused: ${words}`;
}

const details = z.object({ details: z.string() });
const provider = z.object({ error: z.object({ message: z.string(), code: maybe(z.number()) }) });

/** What an error says, wherever its agent writes it: in the message, in `data`, or as the provider's JSON in either. */
function wordsOf({ message, data }: RpcError): string {
  const said = typeof data === "string" ? data : (details.safeParse(data).data?.details ?? "");
  const isEmpty = message === "" || /^Internal error\.?$/iu.test(message);
  const words = isEmpty && said !== "" ? said : said === "" || message.includes(said) ? message : `${message}\n${said}`;
  return (providerMessage(words)?.message ?? words).trim();
}

function providerMessage(words: string): z.output<typeof provider>["error"] | undefined {
  const start = words.indexOf("{");
  if (start === -1) return undefined;
  try {
    const parsed: unknown = JSON.parse(words.slice(start));
    // One agent wraps the provider's document in the message of another.
    const found = provider.safeParse(Array.isArray(parsed) ? parsed[0] : parsed).data?.error;
    return found === undefined ? undefined : (providerMessage(found.message) ?? found);
  } catch {
    // Not every brace begins a document.
    return undefined;
  }
}

/** The status of the model service's answer: one agent has it as its code, others say it. */
function statusOf({ code, message }: RpcError, words: string): number | undefined {
  if (code >= 400 && code < 600) return code;
  const found = /\b(?:status(?: code)?:? |error:? |^)([45]\d\d)\b/iu.exec(`${words}\n${message}`)?.[1];
  return found === undefined ? undefined : Number(found);
}

function firstLine(words: string): string {
  const [line = ""] = words.split("\n");
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
