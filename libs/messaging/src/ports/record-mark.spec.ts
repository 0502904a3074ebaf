import { isUuid } from '@compasso/kernel';
import { recordMark } from './record-mark.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('the mark of a record', () => {
  it('is its id', () => {
    const id = '00000000-0000-7000-8000-000000000001';
    expect(recordMark({ key: null, value: null, headers: { ce_id: bytes(id) } })).toBe(id);
  });

  it('is made of its bytes where no id can be read, and then also a UUID', () => {
    const mark = recordMark({ key: bytes('k'), value: bytes('not json'), headers: { ce_id: bytes('17') } });
    expect(isUuid(mark)).toBe(true);
    expect(mark).toBe(recordMark({ key: bytes('k'), value: bytes('not json'), headers: {} }));
  });

  it('tells key from value, and nothing from empty', () => {
    const marks = [
      { key: bytes('ab'), value: bytes('c') },
      { key: bytes('a'), value: bytes('bc') },
      { key: null, value: bytes('abc') },
      { key: bytes(''), value: bytes('abc') },
    ].map((record) => recordMark({ ...record, headers: {} }));
    expect(new Set(marks).size).toBe(marks.length);
  });
});
