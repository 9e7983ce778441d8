import type { LimitMessage } from "./codec.ts";

/** Says once of each limit of the subscription that it is nearly used up, and that what goes above it is paid for. */
export class PlanLimits {
  readonly #warned: Set<string> = new Set();
  #isPaidFor = false;

  /** What the user is to know that they do not know yet; `now`: Unix milliseconds. */
  hear({ rate_limit_info: info }: LimitMessage, now: number): string | undefined {
    const { status, rateLimitType = "", utilization, resetsAt, isUsingOverage = false } = info;
    const wasPaidFor = this.#isPaidFor;
    this.#isPaidFor = isUsingOverage;
    if (isUsingOverage)
      return wasPaidFor ? undefined : "The limit of your plan is used up. From now on you pay for extra usage.";
    if (status === "allowed") this.#warned.delete(rateLimitType);
    if (status !== "allowed_warning" || utilization === undefined || this.#warned.has(rateLimitType)) return undefined;
    this.#warned.add(rateLimitType);
    const used = `${Math.round(Math.min(1, utilization) * 100)}%`;
    const time = resetsAt === undefined ? undefined : timeOf(resetsAt * 1_000, now);
    return rateLimitType === "five_hour" ? ofHours(used, time) : ofWeek(used, time);
  }
}

function ofHours(used: string, time: string | undefined): string {
  if (time === undefined) return `You have used ${used} of the 5-hour limit of your plan.`;
  return `You have used ${used} of the 5-hour limit of your plan. It resets at ${time}.`;
}

function ofWeek(used: string, time: string | undefined): string {
  if (time === undefined) return `You have used ${used} of the weekly limit of your plan.`;
  return `You have used ${used} of the weekly limit of your plan. It resets at ${time}.`;
}

/** A time of this day by the clock alone, as it is where the program runs. */
function timeOf(at: number, now: number): string {
  const two = (number: number): string => String(number).padStart(2, "0");
  const date = new Date(at);
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (date.toDateString() === new Date(now).toDateString()) return time;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}
