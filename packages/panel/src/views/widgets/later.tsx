import type { ComponentType, JSX } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** A part of the page that is not there at the first look: it comes with what `views/rest.tsx`, `views/rare.tsx` or `views/changes.tsx` holds. Until then it is empty. */
export interface Later<Props extends object> {
  (props: Props): JSX.Element | undefined;
  readonly fill: (component: ComponentType<Props>) => void;
}

/** An empty part, for a component of these properties. */
export function later<Props extends object>(): Later<Props> {
  let filled: ComponentType<Props> | undefined;
  const waiting = new Set<() => void>();
  function Part(props: Props): JSX.Element | undefined {
    const [, setFilled] = useState(filled !== undefined);
    useLayoutEffect(() => {
      const notice = (): void => setFilled(true);
      if (filled !== undefined) notice();
      else waiting.add(notice);
      return () => waiting.delete(notice);
    }, []);
    const Component = filled;
    return Component === undefined ? undefined : <Component {...props} />;
  }
  const fill = (component: ComponentType<Props>): void => {
    filled = component;
    for (const notice of waiting) notice();
    waiting.clear();
  };
  return Object.assign(Part, { fill });
}
