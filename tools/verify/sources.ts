// Where the facts are: addresses of a running system, as `status` and the demo know them.
import type { ServiceName } from '@compasso/contracts';

export interface Sources {
  readonly databaseUrls: Readonly<Record<ServiceName, string>>;
  readonly kafka: {
    readonly brokers: readonly string[];
    readonly topicPrefix: string;
    readonly ssl?: { readonly caFile?: string | undefined } | undefined;
    readonly sasl?: { readonly mechanism: string; readonly username: string; readonly password: string } | undefined;
  };
  readonly provider: { readonly url: string; readonly apiKey: string };
  readonly requestTeams: readonly string[];
  /** Base URL of the receiver that got the spans; none = invariant 8 has nothing to look at. */
  readonly spans?: string | undefined;
  /** When a service ended although nobody had told it to, in milliseconds since the epoch. */
  readonly deaths: readonly number[];
}
