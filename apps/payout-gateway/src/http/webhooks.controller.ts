import { Controller, Headers, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { Public, RawBody, rawBodyOf } from '@compasso/runtime';
import { spanFrom, currentTraceparent } from '@compasso/observability';
import { WebhookDoor } from './webhook-door.ts';

type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;
type Received = Parameters<typeof rawBodyOf>[0];

/** No token: the signature over the raw bytes says who sent it. */
@Controller('v1/webhooks')
export class WebhooksController {
  private readonly door: WebhookDoor;

  constructor(@Inject(WebhookDoor) door: WebhookDoor) {
    this.door = door;
  }

  @Post('reference')
  @HttpCode(200)
  @Public()
  @RawBody()
  async receive(
    @Req() request: unknown,
    @Headers() headers: RequestHeaders,
  ): Promise<{ readonly received: true }> {
    const span = spanFrom('receive-webhook', 'internal', { parent: currentTraceparent() });
    try {
      const verdict = await span.run(() =>
        this.door.take({
          rawBody: rawBodyOf(request as Received),
          timestamp: single(headers['x-provider-timestamp']),
          signature: single(headers['x-provider-signature']),
        }),
      );
      span.set({ 'compasso.webhook.verdict': verdict });
      return { received: true };
    } finally {
      span.end();
    }
  }
}

/** A repeated header is none. */
const single = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
