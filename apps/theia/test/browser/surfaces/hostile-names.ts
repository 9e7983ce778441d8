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
];

/** Characters that show nothing or change how others are shown. */
export function unseenIn(text: string): readonly string[] {
  return text.match(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/gu) ?? [];
}
