import { useState } from "preact/hooks";

/** Files and URIs that are dropped on it. */
export function useDrop(onDrop: (files: readonly File[], uris: readonly string[]) => void): {
  readonly isOver: boolean;
  readonly handlers: Readonly<Record<"onDragOver" | "onDrop", (event: DragEvent) => void>> & {
    readonly onDragLeave: (event: DragEvent & { readonly currentTarget: HTMLElement }) => void;
  };
} {
  const [isOver, setOver] = useState(false);
  const takes = (event: DragEvent): boolean =>
    ["Files", "text/uri-list", "application/vnd.code.uri-list"].some((type) =>
      event.dataTransfer?.types.includes(type),
    );
  return {
    isOver,
    handlers: {
      onDragOver: (event) => {
        if (!takes(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event) => {
        const { relatedTarget, currentTarget } = event;
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
      },
      onDrop: (event) => {
        setOver(false);
        if (!takes(event)) return;
        event.preventDefault();
        const data = event.dataTransfer;
        const list = data?.getData("application/vnd.code.uri-list") || data?.getData("text/uri-list") || "";
        const uris = list.split(/\r?\n/u).filter((line) => line !== "" && !line.startsWith("#"));
        onDrop(Array.from(data?.files ?? []), uris);
      },
    },
  };
}
