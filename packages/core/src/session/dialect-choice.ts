import type { ClientFacts, Dialect, DialectEngine } from "../agents/dialect.ts";
import type { NewConnection, SessionAcceptor } from "../endpoint/endpoint.ts";
import { PatchbayError } from "../support/errors.ts";
import { LoadOnce } from "../support/load-once.ts";

/** Which dialect a client speaks, and the engines of those that were spoken. */
export class DialectChoice {
  readonly #dialects: readonly Dialect[];
  readonly #engines: Map<string, LoadOnce<DialectEngine>> = new Map();

  constructor(dialects: readonly Dialect[]) {
    this.#dialects = dialects;
  }

  /** The dialect of a client that says initialize: of the agent whose token it showed, else of the one that it resembles most. */
  recognise({
    transport,
    headers,
    initialize,
    tokenName,
  }: Omit<Parameters<SessionAcceptor["recognise"]>[0], "ports">): Dialect {
    const client = readClientFacts(transport, headers, initialize);
    return this.#ofToken(tokenName, client) ?? this.#bestFor(client);
  }

  /** The dialect of a connection: the one that its session's id names, else as for any new client. */
  of({ dialectHint, transport, headers, initialize, tokenName }: NewConnection): Dialect {
    const named = this.#named(dialectHint);
    return named ?? this.recognise({ transport: transport.kind, headers, initialize, tokenName });
  }

  /** Loads what speaks a dialect, with the first session that does. */
  engineOf(dialect: Dialect): Promise<DialectEngine> {
    const engine = this.#engines.get(dialect.id) ?? new LoadOnce(() => dialect.load());
    this.#engines.set(dialect.id, engine);
    return engine.get();
  }

  #named(id: string | undefined): Dialect | undefined {
    return this.#dialects.find((dialect) => dialect.id === id);
  }

  /** Of the agent whose record was read; none where that agent does not come this way. */
  #ofToken(tokenName: string, client: ClientFacts): Dialect | undefined {
    const dialect = this.#named(tokenName);
    return dialect?.transport === client.transport ? dialect : undefined;
  }

  #bestFor(client: ClientFacts): Dialect {
    let best: Dialect | undefined;
    let most = 0;
    for (const dialect of this.#dialects) {
      const score = dialect.recognise(client);
      if (score <= most) continue;
      most = score;
      best = dialect;
    }
    if (best === undefined) throw new PatchbayError("invalid-argument", "This agent is not supported.");
    return best;
  }
}

/** Reads what an initialize request says of its client. Hand-narrowed: it runs before the engine, and zod, are loaded. */
export function readClientFacts(
  transport: ClientFacts["transport"],
  headers: Readonly<Record<string, string>>,
  initialize: unknown,
): ClientFacts {
  const params = asRecord(initialize);
  const client = asRecord(params?.get("clientInfo"));
  return {
    transport,
    headers,
    clientName: asText(client?.get("name")),
    clientVersion: asText(client?.get("version")),
    protocolVersion: asText(params?.get("protocolVersion")),
  };
}

function asRecord(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined;
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value.slice(0, 200) : undefined;
}
