import type { ContextUse, McpServer, McpServerChange, PlanLimit } from "@patchbay/conversations/model";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { agentFactsSchema } from "../../messages/agent-facts.ts";
import { useAgentName, usePanel, useSelected, useWords } from "../../store/use-panel.ts";
import { formatCount, formatPercent } from "../widgets/format.ts";
import { IconButton } from "../widgets/icon.tsx";

/** What the agent tells of itself, asked for when it is looked at: account, limits of its plan, context, MCP servers. */
export function AgentFacts({ conversation }: { readonly conversation: string }): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const agent = useAgentName();
  const root = useRef<HTMLElement>(null);
  const about = useSelected((state) => state.about);
  // It may be started or end meanwhile, and what a turn uses is told after it.
  const state = useSelected(({ open }) => open?.state.kind);
  const locale = useSelected(({ settings }) => settings?.locale) ?? "en";
  useEffect(() => root.current?.focus(), []);
  useEffect(() => {
    if (state !== "starting") panel.post({ type: "facts", conversation });
  }, [conversation, state]);
  const close = (): void => {
    panel.update({ about: undefined });
    // When the composer is no longer covered: until then it takes no focus.
    setTimeout(() => panel.emit({ type: "command", command: "focus" }));
  };
  const isAnswered = about !== undefined && "facts" in about;
  const parsed = agentFactsSchema.safeParse(about?.facts);
  const facts = parsed.success ? parsed.data : {};
  const { account, plan, limits = [], context, servers } = facts;
  const title = words("head.about", { agent });
  const message = !isAnswered
    ? words("facts.asking", { agent })
    : about.facts === null
      ? words("state.ended", { agent })
      : Object.keys(facts).length === 0
        ? words("facts.nothing", { agent })
        : "";
  return (
    <section
      class="list"
      ref={root}
      tabIndex={-1}
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <div class="list-head facts-head">
        <h2>{title}</h2>
        <IconButton icon="close" label={words("review.leave")} onClick={close} />
      </div>
      <div class="facts">
        <p class="note" role="status">
          {message}
        </p>
        {account === undefined && plan === undefined ? undefined : (
          <dl class="facts-rows">
            {account === undefined ? undefined : <Row name={words("facts.account")}>{account}</Row>}
            {plan === undefined ? undefined : <Row name={words("facts.plan")}>{plan}</Row>}
          </dl>
        )}
        {limits.length === 0 ? undefined : (
          <Part title={words("facts.limits")}>
            <dl class="facts-rows">
              {limits.map((limit) => (
                <Limit key={`${limit.window} ${limit.model}`} limit={limit} locale={locale} />
              ))}
            </dl>
          </Part>
        )}
        {context === undefined ? undefined : <Context context={context} locale={locale} />}
        {servers === undefined ? undefined : (
          <Part title={words("facts.servers")}>
            {servers.length === 0 ? <p class="note">{words("facts.noServers")}</p> : undefined}
            <ul class="plain">
              {servers.map((server) => (
                <Server key={server.name} server={server} conversation={conversation} answer={about} />
              ))}
            </ul>
          </Part>
        )}
      </div>
    </section>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <>
      <h3>{title}</h3>
      {children}
    </>
  );
}

function Row({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt dir="auto">{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  );
}

/** How full something is; the number stands beside it. */
function Bar({ share }: { readonly share: number }): JSX.Element {
  return (
    <svg
      class={`facts-bar ${share > 0.85 ? "full" : ""}`}
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect class="facts-track" width="100" height="4" />
      <rect class="facts-fill" width={Math.min(1, share) * 100} height="4" />
    </svg>
  );
}

function Limit({ limit, locale }: { readonly limit: PlanLimit; readonly locale: string }): JSX.Element {
  const words = useWords();
  const { window, model, used, resetsAt } = limit;
  const name =
    model === undefined
      ? words(window === "5-hours" ? "facts.limit5Hours" : "facts.limit7Days")
      : words("facts.limitModel", { model });
  const percent = formatPercent(used, locale);
  const time =
    resetsAt === undefined
      ? undefined
      : new Intl.DateTimeFormat(locale, {
          weekday: "short",
          hour: "numeric",
          minute: "2-digit",
        }).format(resetsAt);
  return (
    <>
      <Row name={name}>
        {time === undefined ? words("facts.used", { percent }) : words("facts.usedUntil", { percent, time })}
      </Row>
      <Bar share={used} />
    </>
  );
}

function Context({ context, locale }: { readonly context: ContextUse; readonly locale: string }): JSX.Element {
  const words = useWords();
  const { used, size, parts } = context;
  const count = (tokens: number): string => formatCount(tokens, locale);
  return (
    <Part title={words("usage.context")}>
      <p class="note">{words("usage.tokens", { used: count(used), size: count(size) })}</p>
      <Bar share={used / size} />
      <dl class="facts-rows">
        {parts.map(({ name, tokens }) => (
          <Row key={name} name={name}>
            {count(tokens)}
          </Row>
        ))}
      </dl>
    </Part>
  );
}

function Server({
  server,
  conversation,
  answer,
}: {
  readonly server: McpServer;
  readonly conversation: string;
  /** Another one with each answer of the host. */
  readonly answer: unknown;
}): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const id = useId();
  const [asked, setAsked] = useState<unknown>();
  const { name, state, tools, error, canChange } = server;
  const isAsked = asked !== undefined && asked === answer;
  const button = (change: McpServerChange): JSX.Element => (
    <button
      type="button"
      class="button"
      aria-describedby={id}
      disabled={isAsked}
      onClick={() => {
        setAsked(answer);
        panel.post({ type: "mcp-server", conversation, name, change });
      }}
    >
      {words(`facts.${change}`)}
    </button>
  );
  return (
    <li class="facts-server">
      <div class="facts-server-text">
        <span id={id} dir="auto">
          {name}
        </span>
        <span class={`note facts-${state}`}>
          {words(`facts.${state}`)}
          {tools === undefined || state !== "connected" ? "" : ` · ${words("facts.tools", { count: tools })}`}
        </span>
        {state === "needs-auth" ? <span class="note">{words("facts.signIn")}</span> : undefined}
        {error === undefined ? undefined : (
          <span class="note" dir="auto">
            {error}
          </span>
        )}
      </div>
      {canChange ? (
        <div class="facts-buttons">
          {state === "disabled" ? undefined : button("reconnect")}
          {button(state === "disabled" ? "enable" : "disable")}
        </div>
      ) : undefined}
    </li>
  );
}
