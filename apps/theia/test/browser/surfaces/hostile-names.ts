/** Names as a cloned repository, an agent or a setting may hold them. */
export const hostileNames: readonly string[] = [
  "[details](command:workbench.action.quit)",
  'a [x](https://example.org/ "title") b',
  "](command:workbench.action.quit)",
  "[",
  "![i](https://example.org/i.png)",
  "<https://example.org> <command:x>",
  "<img src=https://example.org/i.png onerror=alert(1)>",
  "`code` **bold** __bold__ ~~gone~~ &lt; &colon; \\[ {0} {path}",
  "[ref]: command:x",
  "$(sync~spin) $(check)",
  "\\$(check) $($(check)",
  "one\ntwo\r\n[x](command:y)\n# three",
  "right\u202Etxt.exe\u2066\u200Bx\u00ADy\uFEFF",
  "\u001B]0;title\u0007\u001B[31mred\u0085\u2028",
  "half \uD83D pair",
  "%{patchbay.x} {0} {1} {agent} ${x} %s %1$s",
  "long ".repeat(20_000),
  "fill\u3164\u115F\u034F\uFFA0\u2800er x\uFE01\uFE02\uFE03 y\u{E0101}\u{E0102}",
];

/** Characters that show nothing or change how others are shown. */
export function unseenIn(text: string): readonly string[] {
  return (
    text.match(
      /(?!\p{Join_C}|\p{VS})[\p{Cc}\p{Cf}\p{Cs}\p{DI}\p{Zl}\p{Zp}\u2800]|(?<=\p{VS})\p{VS}|[\u{E0100}-\u{E01EF}]/gu,
    ) ?? []
  );
}
