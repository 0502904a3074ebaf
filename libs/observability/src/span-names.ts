// Every span name of every service. Names have few values: ids and reasons are attributes.

/**
 * `<what is done> <where>`; messaging operations follow the OpenTelemetry conventions for Kafka.
 */
export type SpanName =
  | `${HttpMethod} ${string}`
  | `${MessagingOperation} ${string}`
  | `${ProviderOperation} ${string}`
  | (typeof plainSpanNames)[number];

export const httpMethods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  '_OTHER',
] as const;
export type HttpMethod = (typeof httpMethods)[number];

/**
 * create: an event is staged in a transaction; its context travels with the row and the message.
 * send: the relay hands a batch to the broker. process: one message is handled. replay: a dead one
 * is tried again.
 */
export const messagingOperations = ['create', 'send', 'process', 'replay'] as const;
export type MessagingOperation = (typeof messagingOperations)[number];

/** Calls of the payout gateway, followed by the provider's name. */
export const providerOperations = ['submit-payout', 'query-payout', 'list-payouts'] as const;
export type ProviderOperation = (typeof providerOperations)[number];

export const plainSpanNames = [
  'handle-batch',
  'receive-webhook',
  'review-payout',
  'reconcile',
  'rebuild-projection',
  'send-provider-webhook',
] as const;
