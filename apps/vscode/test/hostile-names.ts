// Names as a cloned repository, an agent or a setting may hold them, and what VS Code would make of them.

export const hostileNames: readonly string[] = [
  "[details](command:workbench.action.quit)",
  'a [x](https://example.org/ "title") b',
  "[a](file:///etc/passwd)",
  "](command:workbench.action.quit)",
  "[",
  "](command:x) [y](command:z)",
  "$(sync~spin) $(check)",
  "\\$(check) $($(check)",
  "![i](https://example.org/i.png)",
  "<img src=https://example.org/i.png>",
  "https://example.org www.example.org someone@example.org",
  "`code` **bold** # heading | table | ~~gone~~ &lt; {0} {path}",
  "one\ntwo\r\n[x](command:y)\n# three",
  "right\u202Etxt.exe\u2066\u200Bx\u00ADy\uFEFF",
  "\u001B]0;title\u0007\u001B[31mred\u0085\u2028",
  "half \uD83D pair",
  "fill\u3164\u115F\u034F\uFFA0\u2800er x\uFE01\uFE02\uFE03 y\u{E0101}\u{E0102}",
  "{agent} {0} %s ${x}",
];

/** Links as VS Code finds them in the text of a notification (its parser's own pattern). */
export function linksIn(text: string): readonly string[] {
  return text.match(/\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/giu) ?? [];
}

/** Icons as VS Code finds them in labels; a backslash takes the meaning away, but is not shown either. */
export function iconsIn(text: string): readonly string[] {
  return text.match(/\\?\$\([A-Za-z0-9-]+(?:~[A-Za-z0-9-]+)?\)/gu) ?? [];
}

/** Characters that show nothing or change how others are shown. */
export function unseenIn(text: string): readonly string[] {
  return (
    text.match(
      /(?!\p{Join_C}|\p{VS})[\p{Cc}\p{Cf}\p{Cs}\p{DI}\p{Zl}\p{Zp}\u2800]|(?<=\p{VS})\p{VS}|[\u{E0100}-\u{E01EF}]/gu,
    ) ?? []
  );
}
