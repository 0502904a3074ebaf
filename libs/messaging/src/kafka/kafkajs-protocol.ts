// Three exchanges of kafkajs's protocol, changed from outside at the one place where its requests are looked up. kafkajs is
// no longer maintained, its version is pinned, and codec.spec.ts holds our bytes against its own.
import { createRequire } from 'node:module';
import { isForeignFormat, readFetchResponse } from './codec/fetch-response.ts';
import { isPlain, type ProduceBody, produceBody } from './codec/produce-request.ts';

interface Exchange {
  readonly request: object;
  readonly response: { readonly decode: (raw: Buffer) => Promise<unknown>; readonly parse: (data: unknown) => Promise<unknown> };
}

type Ask<Asked> = (asked: Asked) => Exchange;

interface Protocol<Asked> {
  protocol: (options: { readonly version: number }) => Ask<Asked>;
}

const load = createRequire(import.meta.url);
const changed = Symbol.for('compasso.kafkajs-protocol');

export function changeKafkajsProtocol(): void {
  change<MetadataAsked>('metadata', () => forgivingForeignTopics);
  change<ProduceAsked>('produce', ({ version }) => (version >= 3 && version <= 7 ? writingAtOnce : undefined));
  change<unknown>('fetch', ({ version }) => (version === 11 ? readingAtOnce : undefined));
}

function change<Asked>(
  name: string,
  how: (options: { readonly version: number }) => ((ask: Ask<Asked>) => Ask<Asked>) | undefined,
): void {
  const requests = load(`kafkajs/src/protocol/requests/${name}`) as Protocol<Asked> & { [changed]?: true };
  // Only once, however many copies of this module a process holds.
  if (requests[changed] === true) return;
  requests[changed] = true;
  const { protocol } = requests;
  requests.protocol = (options) => how(options)?.(protocol(options)) ?? protocol(options);
}

interface MetadataAsked {
  readonly topics: readonly string[];
}

/**
 * While a kafkajs client knows no topic of its own (each producer and each admin client, when they connect) it asks for the
 * metadata of every topic in the cluster, and gives up if any of them has a partition without a leader: then one topic of
 * somebody else, with a single replica on a broker that is away, keeps all our producers from connecting. What is wrong with
 * topics that nobody named is no reason to fail; those that are named are judged as before.
 */
const forgivingForeignTopics =
  (ask: Ask<MetadataAsked>): Ask<MetadataAsked> =>
  (asked) => {
    const exchange = ask(asked);
    if (asked.topics.length > 0) return exchange;
    return { ...exchange, response: { ...exchange.response, parse: async (data) => data } };
  };

interface ProduceAsked extends ProduceBody {
  readonly compression?: number | undefined;
}

const writingAtOnce =
  (ask: Ask<ProduceAsked>): Ask<ProduceAsked> =>
  (asked) => {
    const exchange = ask(asked);
    if (!isOurs(asked)) return exchange;
    const encode = async () => {
      const bytes = produceBody(asked, Date.now());
      // What kafkajs takes for one of its encoders.
      return { buf: bytes, buffer: bytes };
    };
    return { ...exchange, request: { ...exchange.request, encode } };
  };

const isOurs = ({ compression = 0, transactionalId, topicData }: ProduceAsked): boolean =>
  compression === 0 &&
  (transactionalId ?? null) === null &&
  topicData.every(({ partitions }) => partitions.every(({ messages }) => messages.every(isPlain)));

const readingAtOnce =
  (ask: Ask<unknown>): Ask<unknown> =>
  (asked) => {
    const exchange = ask(asked);
    const decode = async (raw: Buffer) => {
      try {
        return readFetchResponse(raw);
      } catch (error) {
        if (!isForeignFormat(error)) throw error;
        return exchange.response.decode(raw);
      }
    };
    return { ...exchange, response: { ...exchange.response, decode } };
  };
