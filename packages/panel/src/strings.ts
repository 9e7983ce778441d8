/**
 * Every text of the page, in English. The host sends them with `hello`, in the user's language; `{name}` stands for a value. The
 * page's bundle does not hold them.
 */
export const panelStrings = {
  // The page as a whole
  "page.failed": "This panel ran into a problem. Your conversations and your draft are safe.",
  "page.reload": "Reload",
  "entry.failed": "This part can’t be shown.",
  "log.label": "Conversation with {agent}",
  "log.older": "Loading earlier messages…",
  "log.latest": "Jump to latest",
  "log.question": "Show the open question",
  "log.empty": "Ask {agent} to explain, change or test something in this workspace.",
  "log.you": "You",
  "access.elsewhere": "This conversation is open in another window. If you continue here, its agent stops there.",
  "access.takeOver": "Continue Here",
  "access.notKept": "New messages can’t be saved to disk. They are kept until this window closes.",

  // In a browser
  "connection.lost":
    "Not connected. Trying again… What you write is kept. If the panel has ended, type “patchbay panel” in a terminal.",
  "connection.shutOut":
    "This page is not connected. Type “patchbay panel” in a terminal, or use your editor’s command, for a new link.",
  "connection.delete": "Delete the conversation “{title}” from Patchbay? A session that the agent keeps itself stays.",
  "connection.terminal": "Type this in a terminal",
  "mention.selection": "Selection",
  "connection.close": "Close",
  "connection.copy": "Copy",

  // The head
  "head.list": "Show conversations",
  "head.new": "New conversation",
  "head.newWith": "New conversation with {agent}",
  "head.find": "Find in conversation",
  "head.more": "More actions",
  "head.untitled": "New conversation",
  "head.rename": "Rename",
  "head.markdown": "Open as Markdown",
  "head.tab": "Open in an editor tab",
  "head.terminal": "Continue in a terminal",
  "head.fork": "Fork conversation",
  "head.about": "About {agent}",

  // What the agent tells of itself
  "facts.asking": "Asking {agent}…",
  "facts.nothing": "{agent} did not answer.",
  "facts.account": "Account",
  "facts.plan": "Subscription",
  "facts.limits": "Plan limits",
  "facts.limit5Hours": "5 hours",
  "facts.limit7Days": "7 days",
  "facts.limitModel": "7 days, {model}",
  "facts.used": "{percent} used",
  "facts.usedUntil": "{percent} used, resets {time}",
  "facts.servers": "MCP servers",
  "facts.noServers": "No MCP server is set up.",
  "facts.connected": "Connected",
  "facts.failed": "Not connected",
  "facts.needs-auth": "Needs you to sign in",
  "facts.pending": "Connecting…",
  "facts.disabled": "Off",
  "facts.tools": "tools: {count}",
  "facts.signIn": "Continue in a terminal and type /mcp to sign in.",
  "facts.reconnect": "Reconnect",
  "facts.enable": "Turn On",
  "facts.disable": "Turn Off",

  // States
  "state.starting": "Starting {agent}…",
  "state.running": "Working",
  "state.retrying": "Attempt {attempt} failed: {reason}. Next attempt in {seconds} s.",
  "state.retryingNow": "Attempt {attempt} failed: {reason}. Trying again…",
  "state.signedOut": "{agent} needs you to sign in.",
  "state.signIn": "Sign In",
  "state.signInAgain": "Try Again",
  "state.ended": "{agent} is not running. Your next message starts it again.",

  // The list of conversations
  "list.title": "Conversations",
  "list.search": "Search conversations",
  "list.none": "No conversations yet.",
  "list.noMatch": "No conversation matches.",
  "list.waiting": "Waiting",
  "list.running": "Working",
  "list.failed": "Needs attention",
  "list.delete": "Delete",
  "list.deleteAsk": "Delete this conversation?",
  "list.cancel": "Cancel",
  "list.close": "Close",

  // The welcome
  "welcome.title": "Start a conversation",
  "welcome.text": "Patchbay runs the coding agents that you have installed, with your own accounts and settings.",
  "welcome.recent": "Recent",
  "welcome.missing": "Other supported agents",
  "welcome.install": "How to install {agent}",
  "welcome.none": "No supported agent is installed.",

  // Entries
  "thought.running": "Thinking…",
  "thought.done": "Thought",
  "tool.pending": "Pending",
  "tool.waiting": "Waiting for your answer",
  "tool.running": "Running",
  "tool.done": "Done",
  "tool.failed": "Failed",
  "tool.rejected": "Rejected",
  "tool.cancelled": "Cancelled",
  "tool.input": "Input",
  "tool.output": "Output",
  "tool.noOutput": "No output.",
  "tool.omitted": "Earlier output is not shown.",
  "tool.openOutput": "Open output in an editor",
  "tool.subagent": "Subagent steps: {count}",
  "diff.open": "Open Diff",
  "diff.created": "New file",
  "diff.deleted": "Deleted",
  "diff.more": "{count} more lines",
  "diff.tooLarge": "This change is too large to show here.",
  "diff.added": "added",
  "diff.removed": "removed",
  "diff.label": "Change to {path}",
  "plan.title": "Plan",
  "plan.progress": "{done} of {total}",
  "plan.pending": "To do",
  "plan.running": "In progress",
  "plan.done": "Done",
  "plan.show": "Show plan",
  "plan.hide": "Hide plan",
  "notice.detail": "Details",
  "notice.restart": "Restart",
  "notice.sign-in": "Sign In",
  "notice.retry": "Try Again",
  "notice.install": "Install",
  "end.stopped": "Stopped",
  "end.refused": "The model declined to continue.",
  "end.limit": "A limit on tokens or requests was reached.",
  "end.failed": "The turn failed.",
  "end.exited": "The agent exited.",
  "end.seconds": "{seconds} s",
  "end.minutes": "{minutes} min {seconds} s",
  "end.tokens": "{count} tokens",
  "message.copy": "Copy",
  "message.copied": "Copied",
  "message.markdown": "Open as Markdown",
  "message.actions": "Message actions",
  "prompt.resend": "Edit and resend",
  "prompt.resendNote": "A copy of this conversation goes on from here. This one stays as it is, and so do the files.",
  "prompt.again": "Copy to message box",
  "prompt.fork": "Fork from here",
  "prompt.rewind": "Restore files to this point",
  "prompt.more": "Show all",
  "prompt.less": "Show less",
  "rewind.ask": "Restore these files to how they were before this message?",
  "rewind.note": "What shell commands did is not undone.",
  "rewind.nothing": "No files would change.",
  "rewind.confirm": "Restore",
  "rewind.cannot": "Files can’t be restored: {reason}",
  "code.copy": "Copy code",
  "code.insert": "Insert at cursor",
  "code.open": "Open as document",
  "code.label": "Code, {language}",
  "code.plain": "Code",
  "table.label": "Table",
  "image.remote": "Image: {address}",

  // Questions
  "ask.permission": "{agent} asks for permission",
  "ask.form": "{agent} has a question",
  "ask.plan": "{agent} has a plan",
  "ask.command": "Command",
  "ask.input": "Input",
  "ask.outside": "Outside the workspace",
  "ask.readOnly": "You can accept or reject this change, but not edit it.",
  "ask.review": "Review in Editor",
  "ask.rule": "{name} also allows this from now on:",
  "ask.reject": "Reject",
  "ask.rejectWhy": "Tell {agent} what to do instead (optional)",
  "ask.send": "Answer",
  "ask.skip": "Don’t Answer",
  "ask.other": "Something else",
  "ask.required": "Please answer this.",
  "ask.number": "Enter a number.",
  "ask.withdrawn": "Withdrawn",
  "ask.edited": "with changes",
  "ask.announce": "{agent} is waiting for your answer: {title}",

  // Reviews in the page
  "review.label": "Review of {path}",
  "review.sides": "Both sides of the change",
  "review.leave": "Back to the conversation",
  "review.loading": "Loading…",
  "review.count": "Hunks left: {count}",
  "review.decided": "decided: {count}",
  "review.previous": "Previous hunk (Shift+F7)",
  "review.next": "Next hunk (F7)",
  "review.undo": "Undo the last verdict on a hunk",
  "review.unified": "One below the other",
  "review.change": "Hunk {number} of {count}",
  "review.acceptChange": "Accept Hunk",
  "review.rejectChange": "Reject Hunk",
  "review.accept": "Accept",
  "review.reject": "Reject",
  "review.field": "Proposed text, lines {from} to {to}",
  "review.longLine": "… {count} more characters, which can’t be edited here",
  "review.hidden": "Line {line} has characters that can’t be seen",
  "review.create": "New file",
  "review.delete": "This change deletes or empties the file.",
  "review.unsaved": "The left side is the unsaved text of your editor.",
  "review.agentGone": "{agent} has exited, so your answer would reach nobody. Copy what you need.",
  "review.inTerminal": "Only {agent} itself can be answered now, in its terminal.",
  "review.conflict":
    "The file has changed in the same lines. Both versions are in the text: keep what is right, remove the lines that begin with <<<<<<<, ======= and >>>>>>>, and then accept.",
  "review.conflictFirst": "Resolve the conflict first.",
  "review.changed": "Nothing was decided, because the text changed at the same moment. Look again.",
  "review.none": "There is no such hunk, or no verdict to undo.",
  "review.failed": "This did not work.",
  "review.rebased": "The file has changed meanwhile. The proposal was applied to the new text.",
  "review.elsewhere": "Your text was edited in another window, too.",
  "review.ended.accepted": "Accepted.",
  "review.ended.rejected": "Rejected.",
  "review.ended.decided-in-terminal": "You answered {agent} in its terminal.",
  "review.ended.superseded": "{agent} has proposed something newer for this file.",
  "review.ended.agent-gone": "{agent} has exited or asks no more. What you typed is kept.",
  "review.ended.stopped": "This review has ended.",
  "review.waiting": "{agent} proposes a change to {path}.",
  "review.open": "Review",
  "review.unwritten": "Accepted, not written by {agent}: {path}",
  "review.show": "Show",
  "review.save": "Save to File",
  "review.discard": "Discard",
  "review.discardSure": "Discard your text?",

  // What goes on in the background
  "tasks.title": "In the background",
  "tasks.subagent": "Subagent",
  "tasks.command": "Command",
  "tasks.other": "Task",
  "tasks.stop": "Stop: {name}",

  // Changed files
  "changes.title": "Changed files: {count}",
  "changes.review": "Review All",
  "changes.open": "Open Diff",
  "changes.undo": "Undo",
  "changes.redo": "Redo",
  "changes.undoAll": "Undo All",
  "changes.undone": "Undone",
  "changes.created": "New",
  "changes.deleted": "Deleted",
  "changes.unasked": "Changed without asking",
  "changes.commands": "Commands ran in this turn. Undo doesn’t revert what they did.",

  // The composer
  "compose.label": "Message to {agent}",
  "compose.placeholder": "Ask {agent}…",
  "compose.hint": "Type @ to add context, / for commands",
  "compose.queueing": "Queue a message…",
  "compose.send": "Send",
  "compose.queue": "Add to queue",
  "compose.stop": "Stop",
  "compose.attach": "Add context",
  "compose.remove": "Remove {name}",
  "compose.selectionOn": "Selection is included. Click to leave it out.",
  "compose.selectionOff": "Selection is left out. Click to include it.",
  "compose.imageTooLarge": "The image is larger than 5 MB.",
  "compose.imageStill": "The image is larger than 5 MB. Only its first frame is sent.",
  "compose.imageType": "Only PNG, JPEG, GIF and WebP images can be sent.",
  "compose.noImages": "{agent} doesn’t accept images.",
  "compose.dropImages": "Only images can be dropped from outside the editor. Type @ to mention a file.",
  "compose.drop": "Drop to add to the message",
  "compose.suggestions": "Suggestions",
  "queue.title": "Queued",
  "queue.edit": "Edit",
  "queue.editLater": "Edit (send or clear what you are writing first)",
  "queue.earlier": "Move up",
  "queue.remove": "Remove",
  "queue.now": "Stop and send now",
  "option.neverAsks": "Never asks before it changes files or runs commands.",
  "option.neverAsksNow": "{name}: {agent} changes files and runs commands without asking.",
  "option.on": "{name}: on",
  "option.off": "{name}: off",
  "usage.label": "Context used: {percent}",
  "usage.context": "Context",
  "usage.tokens": "{used} of {size} tokens",
  "usage.input": "Input tokens",
  "usage.output": "Output tokens",
  "usage.cost": "Cost",

  // Find
  "find.label": "Find",
  "find.next": "Next match",
  "find.previous": "Previous match",
  "find.close": "Close",
  "find.count": "{index} of {count}",
  "find.none": "No results",

  // What a screen reader is told
  "announce.done": "{agent} has finished.",
  "announce.stopped": "{agent} has stopped.",
} as const;

/** The key of a text. */
export type StringKey = keyof typeof panelStrings;

/** By this the page tells sentences of Patchbay's in conversations from its own texts. */
export const sentenceMark = "say:";

/** Shows what was said, in the user's language where it is a sentence of Patchbay's. */
export type Said = (text: string) => string;

/** By the texts that the host has sent. A value in a sentence may be such a sentence again. */
export function saidIn(strings: Readonly<Record<string, string>>): Said {
  const known = Object.entries(strings).flatMap(([key, shown]) =>
    key.startsWith(sentenceMark) ? [{ pattern: patternOf(key.slice(sentenceMark.length)), shown }] : [],
  );
  const said: Said = (text) => {
    for (const { pattern, shown } of known) {
      const [, ...values] = pattern.exec(text) ?? [];
      if (pattern.test(text))
        return shown.replaceAll(/\{(\d)\}/gu, (_place, index) => said(values[Number(index)] ?? ""));
    }
    return text;
  };
  return said;
}

function patternOf(sentence: string): RegExp {
  const parts = sentence.split(/\{\d\}/u).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`));
  return new RegExp(`^${parts.join("(.+?)")}$`, "su");
}
