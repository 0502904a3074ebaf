import type { z } from 'zod';
import type { TopicFamily } from './topics.ts';

/** Who may publish an event. `requester` stands for any team with a requests topic. */
export type Publisher = 'requester' | 'ledger' | 'payout-gateway' | 'transfer-tracker' | 'any-service';

export interface Contract<Schema extends z.ZodType = z.ZodType> {
  /** The event's name without product prefix and version, for instance `ledger.funds-reserved`. */
  readonly name: string;
  readonly version: number;
  /** The CloudEvents `type`. */
  readonly type: string;
  readonly publisher: Publisher;
  readonly family: TopicFamily;
  /** One sentence: what is true once this was published. */
  readonly meaning: string;
  readonly schema: Schema;
}

export type DataOf<C extends Contract> = z.infer<C['schema']>;

export const typeOf = (name: string, version: number): string => `compasso.${name}.v${version}`;

export const defineContract = <Schema extends z.ZodType>(
  definition: Omit<Contract<Schema>, 'type'>,
): Contract<Schema> => ({ ...definition, type: typeOf(definition.name, definition.version) });
