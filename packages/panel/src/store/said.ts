import { useMemo } from "preact/hooks";
import { type Said, saidIn } from "../strings.ts";
import { useSelected } from "./use-panel.ts";

/** Shows a sentence of Patchbay's in the user's language, and anything else as it is. */
export function useSaid(): Said {
  const strings = useSelected((state) => state.strings);
  return useMemo(() => saidIn(strings), [strings]);
}
