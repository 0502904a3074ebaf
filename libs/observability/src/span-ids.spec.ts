import { ROOT_CONTEXT } from '@opentelemetry/api';
import { AlwaysOnSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { SpanIds, withIds } from './span-ids.ts';

const tracer = new TracerProvider({ idGenerator: new SpanIds(), sampler: new AlwaysOnSampler() }).getTracer('test');
const begin = () => tracer.startSpan('one', { root: true }, ROOT_CONTEXT).spanContext();
const ids = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

describe('ids of spans', () => {
  it('are those that were asked for, for the one span that was meant', () => {
    expect(withIds(ids, begin)).toMatchObject(ids);
    expect(begin()).not.toMatchObject({ traceId: ids.traceId });
  });

  it('are random otherwise', () => {
    expect(begin().traceId).not.toBe(begin().traceId);
  });

  it('are forgotten when the span could not be begun', () => {
    const failing = () => withIds(ids, () => JSON.parse('{') as unknown);
    expect(failing).toThrow(SyntaxError);
    expect(begin().spanId).not.toBe(ids.spanId);
  });
});
