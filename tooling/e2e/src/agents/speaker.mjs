// A scripted agent that speaks the Agent Client Protocol: it does what its prompt says, to be measured with.

if (process.argv.includes("--version")) {
  process.stdout.write("0.61.0\n");
  process.exit(0);
}

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const pause = async (time) => await new Promise((resolve) => setTimeout(resolve, time));
const update = (sessionId, change) => write({ method: "session/update", params: { sessionId, update: change } });
const speak = (sessionId, text) =>
  update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const use = (sessionId, toolCallId) =>
  update(sessionId, {
    sessionUpdate: "tool_call",
    toolCallId,
    title: `Read file-${toolCallId}.ts`,
    kind: "read",
    status: "completed",
    content: [{ type: "content", content: { type: "text", text: `line ${toolCallId}` } }],
  });

/** 100 chunks a second, each with the time at which it is written. */
async function stream(id, seconds) {
  const start = Date.now();
  for (let sent = 0; sent < seconds * 100; ) {
    for (; sent < (Date.now() - start) / 10; sent += 1) {
      speak(id, sent % 40 === 39 ? "\n\n" : ` @${Date.now()}`);
    }
    await pause(10);
  }
}

async function fill(id, count) {
  for (let index = 0; index < count; index += 2) {
    speak(
      id,
      `Answer ${index}. It adds the **prices** and takes off the codes:\n\n- first \`sum\`\n- then \`round\`\n`,
    );
    use(id, `h${index}`);
    if (index % 100 === 0) await pause(5);
  }
  speak(id, "All is said.");
}

async function answer({ sessionId, prompt }) {
  const [, word, count = ""] = /(turns?|stream|fill) ?(\d*)/u.exec(prompt.map(({ text = "" }) => text).join(" ")) ?? [];
  if (word === "stream") await stream(sessionId, Number(count));
  else if (word === "fill") await fill(sessionId, Number(count));
  else {
    speak(
      sessionId,
      `It is **rounded** twice, \`round(${count})\`.\n\n\`\`\`ts\nconst total = round(${count});\n\`\`\`\n`,
    );
    use(sessionId, `t${count}`);
    speak(sessionId, `Turn ${count} is over.`);
  }
  return { stopReason: "end_turn" };
}

const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { loadSession: false }, authMethods: [] }),
  "session/new": () => ({ sessionId: "s1" }),
  "session/prompt": answer,
};

function hear({ id, method, params }) {
  const handle = answers[method];
  if (id === undefined) return;
  if (handle === undefined) write({ id, error: { code: -32601, message: "Method not found" } });
  else void Promise.resolve(handle(params)).then((result) => write({ id, result }));
}

// It stands by itself where it runs. Lines end at line feeds only: `readline` also cuts at U+2028.
let begun = "";
for await (const chunk of process.stdin.setEncoding("utf8")) {
  const lines = (begun + chunk).split("\n");
  begun = lines.pop();
  for (const line of lines) hear(JSON.parse(line));
}
