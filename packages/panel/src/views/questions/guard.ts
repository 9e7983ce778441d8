import { useRef } from "preact/hooks";

/** How long a question that has just appeared takes no answer, ms: a key or click may have been on its way elsewhere. */
export const guardTime = 500;

/** Guards the answers of a question. Keys reach it only when the user has moved the focus into it. */
export function useGuard(): {
  /** Does what it is given unless the question has only just appeared. */
  readonly guarded: (act: () => void) => () => void;
  /** For the question's element: a key that is held down since before is no answer. */
  readonly onKeyDown: (event: KeyboardEvent) => void;
} {
  const shownAt = useRef(performance.now());
  return {
    guarded: (act) => () => {
      if (performance.now() - shownAt.current >= guardTime) act();
    },
    onKeyDown: (event) => {
      const isEarly = performance.now() - shownAt.current < guardTime;
      const isAnswer = event.key === "Enter" || event.key === " ";
      if (isAnswer && (event.repeat || (isEarly && !isTextField(event.target)))) event.preventDefault();
    },
  };
}

export function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === "text");
}
