// While a kafkajs client knows no topic of its own (each producer and each admin client, when they connect) it asks for the
// metadata of every topic in the cluster, and gives up if any of them has a partition without a leader: then one topic of
// somebody else, with a single replica on a broker that is away, keeps all our producers from connecting.
import { createRequire } from 'node:module';

interface Exchange {
  readonly request: unknown;
  readonly response: { readonly decode: unknown; readonly parse: (data: unknown) => Promise<unknown> };
}

interface MetadataProtocol {
  protocol: (options: { readonly version: number }) => (asked: { readonly topics: readonly string[] }) => Exchange;
}

const load = createRequire(import.meta.url);
const forgiving = Symbol.for('compasso.forgives-foreign-topics');

/** What is wrong with topics that nobody named is no reason to fail; those that are named are judged as before. */
export function forgiveForeignTopics(): void {
  const metadata = load('kafkajs/src/protocol/requests/metadata') as MetadataProtocol & { [forgiving]?: true };
  if (metadata[forgiving] === true) return;
  metadata[forgiving] = true;
  const { protocol } = metadata;
  metadata.protocol = (options) => {
    const exchange = protocol(options);
    return (asked) => {
      const both = exchange(asked);
      if (asked.topics.length > 0) return both;
      return { ...both, response: { ...both.response, parse: async (data) => data } };
    };
  };
}
