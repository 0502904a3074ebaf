// The gateway's operator view: what was sent, what was asked, and which webhooks came.
import { expectStatus, type HttpPeers } from './http-peers.ts';

export interface Payout {
  readonly transferId: string;
  readonly state: string;
  readonly attempts: readonly { readonly attempt: number; readonly outcome: string; readonly cause?: string }[];
  readonly answers: readonly { readonly check: number; readonly answer: string }[];
  readonly webhooks: readonly { readonly verdict: string; readonly claimedStatus?: string }[];
}

export class PayoutClient {
  readonly http: HttpPeers;

  constructor(http: HttpPeers) {
    this.http = http;
  }

  async payout(transferId: string): Promise<Payout | undefined> {
    const answer = await this.http.call<Payout>({ path: `/v1/payouts/${transferId}` });
    return answer.status === 404 ? undefined : expectStatus(answer, 200);
  }
}
