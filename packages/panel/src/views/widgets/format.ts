import type { Words } from "../../store/use-panel.ts";

/** By what they are made of: to make one takes longer than to use it a hundred times. */
const formats = new Map<string, Intl.NumberFormat>();

function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = locale + JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.NumberFormat(locale, options);
  formats.set(key, format);
  return format;
}

/** Numbers and times in the user's language. */
export function formatCount(count: number, locale: string): string {
  return numberFormat(locale, { notation: "compact", maximumFractionDigits: 1 }).format(count);
}

export function formatCost(cost: number, currency: string | undefined, locale: string): string {
  const digits = cost !== 0 && cost < 0.01 ? 4 : 2;
  if (currency === undefined || !/^[A-Z]{3}$/u.test(currency)) return cost.toFixed(digits);
  const options = {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const;
  return numberFormat(locale, options).format(cost);
}

export function formatPercent(share: number, locale: string): string {
  return numberFormat(locale, { style: "percent", maximumFractionDigits: 0 }).format(share);
}

export function formatDuration(ms: number, words: Words): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 60) return words("end.seconds", { seconds });
  return words("end.minutes", { minutes: Math.floor(seconds / 60), seconds: seconds % 60 });
}
