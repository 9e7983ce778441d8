/** By which our requests are known among those of the user's extensions. */
export const requestTitle = "patchbay";

/**
 * What Pi loads beside the user's own extensions: Pi never asks by itself, so each of its tools asks us, over the same streams. The mark tells
 * the extension that `patchbay hook install pi` has put into place that it is not wanted here: everything is asked once.
 */
export const extension: string = `// Patchbay's side of Pi in the conversation panel.
export default function patchbay(pi) {
  globalThis[Symbol.for("patchbay.panel")] = true;
  const followed = new Set();
  const ask = async (about, { ui, signal }) => {
    const text = await ui.input("${requestTitle}", JSON.stringify(about), signal === undefined ? {} : { signal });
    return text === undefined ? undefined : JSON.parse(text);
  };
  pi.on("session_start", (_event, { ui }) => ui.setStatus("${requestTitle}", "asks"));
  pi.on("tool_call", async ({ toolCallId: id, toolName: tool, input }, context) => {
    let reason = "The user was not asked, so nothing was done.";
    try {
      const answer = await ask({ moment: "before", id, tool, input }, context);
      if (answer?.isFollowed === true) followed.add(id);
      if (answer?.kind === "allow") return undefined;
      if (answer?.kind === "allow-changed") {
        for (const name of Object.keys(input)) delete input[name];
        Object.assign(input, answer.arguments);
        return undefined;
      }
      reason = answer?.reason ?? reason;
    } catch {
      // What was not asked is not done.
    }
    return { block: true, reason };
  });
  pi.on("tool_result", async ({ toolCallId: id, content }, context) => {
    if (!followed.delete(id)) return undefined;
    try {
      const answer = await ask({ moment: "after", id }, context);
      return answer?.note === undefined ? undefined : { content: [...content, { type: "text", text: answer.note }] };
    } catch {
      return undefined;
    }
  });
}
`;
