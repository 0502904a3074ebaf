// The tracker's HTTP API: where each transfer stands, how it came there, and what waits for a person.
import { allPages, expectStatus, type HttpPeers } from './http-peers.ts';

/** The public words for where a transfer is. */
export interface Axes {
  readonly state: string;
  readonly money: string;
  readonly certainty: string;
  readonly attention: string;
}

export interface TrackedTransfer extends Axes {
  readonly transferId: string;
  readonly accountId: string;
  readonly reason?: string;
  readonly requestedBy?: string;
  readonly traceId?: string;
  readonly version: number;
  readonly projection: number;
  readonly flags: Readonly<Record<string, boolean>>;
}

export interface TimelineStep {
  readonly event: string;
  readonly eventId: string;
  readonly service: string;
  readonly at: string;
  readonly publishedAt: string;
  readonly cause?: { readonly eventId: string; readonly event?: string };
  readonly durationMs?: number;
  readonly attempt?: number;
  readonly answers: Readonly<Record<string, string | number>>;
  readonly undoes?: { readonly event: string };
  readonly offScore: boolean;
}

export interface ReviewCase {
  readonly caseId: string;
  readonly kind: string;
  readonly transferId?: string;
  readonly state: string;
}

export class TrackerClient {
  readonly http: HttpPeers;

  constructor(http: HttpPeers) {
    this.http = http;
  }

  async transfer(transferId: string): Promise<TrackedTransfer | undefined> {
    const answer = await this.http.call<TrackedTransfer>({ path: `/v1/transfers/${transferId}` });
    return answer.status === 404 ? undefined : expectStatus(answer, 200);
  }

  async timeline(transferId: string): Promise<readonly TimelineStep[]> {
    const answer = await this.http.call<{ steps: readonly TimelineStep[] }>({ path: `/v1/transfers/${transferId}/timeline` });
    return expectStatus(answer, 200).steps;
  }

  transfersOf(accountId: string): Promise<readonly TrackedTransfer[]> {
    return allPages(this.http, `/v1/transfers?limit=200&accountId=${accountId}`, 'transfers');
  }

  transfers(): Promise<readonly TrackedTransfer[]> {
    return allPages(this.http, '/v1/transfers?limit=200', 'transfers');
  }

  openCases(): Promise<readonly ReviewCase[]> {
    return allPages(this.http, '/v1/cases?limit=200&state=open', 'cases');
  }
}
