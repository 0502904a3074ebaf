// One leader among replicas. A frozen process keeps a session lock for ever, unless the server ends the idle session: the
// lease lives on a connection of its own that must be heard from each second (attack H15).
import pg from 'pg';
import { cutConnection } from './connection.ts';
import { databaseLimits } from './limits.ts';

export interface LeaseOptions {
  readonly url: string;
  readonly name: string;
  /** Told when leadership begins and ends. A second leader is harmless by design; this only keeps it rare. */
  readonly onChange: (isLeader: boolean) => void;
  readonly onError?: (error: unknown) => void;
}

export interface Lease {
  isLeader(): boolean;
  stop(): Promise<void>;
}

/** Keeps trying until stopped; never throws. */
export function holdLease(options: LeaseOptions): Lease {
  const holder = new LeaseHolder(options);
  holder.start();
  return holder;
}

class LeaseHolder implements Lease {
  private readonly options: LeaseOptions;
  private client: pg.Client | undefined;
  private leader = false;
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;
  private turn: Promise<void> = Promise.resolve();

  constructor(options: LeaseOptions) {
    this.options = options;
  }

  start(): void {
    this.turn = this.step();
  }

  isLeader(): boolean {
    return this.leader;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    const { client } = this;
    this.drop(client);
    await this.turn;
    this.drop(this.client);
  }

  private async step(): Promise<void> {
    try {
      const client = this.client ?? (await this.connect());
      if (this.leader) await client.query('select 1');
      else await this.tryToLead(client);
    } catch (error) {
      this.options.onError?.(error);
      this.drop(this.client);
    }
    if (this.stopped) return;
    this.timer = setTimeout(() => (this.turn = this.step()), databaseLimits.leasePingMs);
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.options.url,
      application_name: `lease-${this.options.name}`,
      connectionTimeoutMillis: databaseLimits.acquireTimeoutMs,
      query_timeout: databaseLimits.leaseIdleTimeoutMs - databaseLimits.leasePingMs,
      keepAlive: true,
      options: `-c idle_session_timeout=${databaseLimits.leaseIdleTimeoutMs}`,
    });
    this.client = client;
    client.on('error', (error) => {
      this.options.onError?.(error);
      this.drop(client);
    });
    await client.connect();
    return client;
  }

  private async tryToLead(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
      [this.options.name],
    );
    // The lock lives in the session: one that was given up in the meantime has taken it along.
    if (rows[0]?.taken === true && this.client === client) this.become(true);
  }

  private become(leader: boolean): void {
    if (this.leader === leader) return;
    this.leader = leader;
    this.options.onChange(leader);
  }

  /** Never waits: the server frees the lock when it sees the end of the connection, or of its patience. */
  private drop(client: pg.Client | undefined): void {
    if (client === undefined || this.client !== client) return;
    this.client = undefined;
    this.become(false);
    client.end().catch(() => undefined);
    cutConnection(client);
  }
}
