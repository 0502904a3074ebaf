// Reads the JSON encoding of OTLP traces:
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding

export type SpanKindName =
  'unspecified' | 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export type AttributeValue = string | number | boolean | null | readonly AttributeValue[];

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Absent on the root of a trace. */
  readonly parentSpanId?: string;
  readonly name: string;
  readonly service: string;
  readonly replica: string;
  readonly kind: SpanKindName;
  /** Milliseconds since the epoch, with a fraction. */
  readonly start: number;
  readonly end: number;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

/** The spans of one export. */
export function spansOf(body: unknown): readonly ReceivedSpan[] {
  return ((body as OtlpExport | null)?.resourceSpans ?? []).flatMap(
    ({ resource, scopeSpans = [] }) => {
      const described = attributesOf(resource?.attributes);
      const origin = {
        service: String(described['service.name'] ?? 'unknown'),
        replica: String(described['compasso.replica'] ?? described['service.instance.id'] ?? ''),
      };
      return scopeSpans.flatMap(({ spans = [] }) => spans.map((span) => received(span, origin)));
    },
  );
}

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const errorStatus = 2;

const received = (
  span: OtlpSpan,
  origin: { readonly service: string; readonly replica: string },
): ReceivedSpan => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId && { parentSpanId: span.parentSpanId }),
  name: span.name ?? '',
  ...origin,
  kind: kinds[span.kind ?? 0] ?? 'unspecified',
  start: milliseconds(span.startTimeUnixNano),
  end: milliseconds(span.endTimeUnixNano),
  failed: span.status?.code === errorStatus,
  attributes: attributesOf(span.attributes),
  links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
});

const milliseconds = (nanoseconds: string | number | undefined): number =>
  Number(BigInt(nanoseconds ?? 0) / 1_000n) / 1_000;

const attributesOf = (attributes: OtlpAttributes = []): Record<string, AttributeValue> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));

function valueOf(value: OtlpValue | undefined): AttributeValue {
  if (value?.stringValue !== undefined) return value.stringValue;
  if (value?.boolValue !== undefined) return value.boolValue;
  if (value?.doubleValue !== undefined) return value.doubleValue;
  // 64-bit integers travel as text.
  if (value?.intValue !== undefined) return Number(value.intValue);
  return value?.arrayValue?.values?.map(valueOf) ?? null;
}

// The part of the encoding that we read.
interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values?: readonly OtlpValue[] };
}
type OtlpAttributes = readonly { readonly key: string; readonly value?: OtlpValue }[];
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name?: string;
  readonly kind?: number;
  readonly startTimeUnixNano?: string | number;
  readonly endTimeUnixNano?: string | number;
  readonly status?: { readonly code?: number };
  readonly attributes?: OtlpAttributes;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}
interface OtlpExport {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: OtlpAttributes };
    readonly scopeSpans?: readonly { readonly spans?: readonly OtlpSpan[] }[];
  }[];
}
