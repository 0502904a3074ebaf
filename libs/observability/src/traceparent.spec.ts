import { parseTraceparent, writeTraceparent } from './traceparent.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const good = `00-${traceId}-${spanId}-01`;

it('reads what it writes', () => {
  const parsed = parseTraceparent(good);
  expect(parsed).toEqual({ traceId, spanId, traceFlags: 1, isRemote: true });
  expect(parsed && writeTraceparent(parsed)).toBe(good);
});

it('reads later versions, which may say more', () => {
  expect(parseTraceparent(`01-${traceId}-${spanId}-03-more`)).toMatchObject({
    traceId,
    traceFlags: 1,
  });
});

it.each([
  undefined,
  '',
  'garbage',
  good.toUpperCase(),
  good.slice(1),
  `${good} `,
  `${good},${good}`,
  `${good}-more`,
  `ff-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId}-${spanId}-0g`,
  `01-${traceId}-${spanId}-01-${'x'.repeat(1_000)}`,
])('takes an odd one as none: %j', (text) => expect(parseTraceparent(text)).toBeUndefined());

it('writes nothing for a span without an identity', () => {
  const none = { traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 };
  expect(writeTraceparent(none)).toBeUndefined();
});
