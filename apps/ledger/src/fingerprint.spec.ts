import { centsOf } from '@compasso/kernel';
import { fingerprintsWith } from './fingerprint.ts';

const fingerprints = fingerprintsWith(Buffer.alloc(32, 1));
const content = {
  accountId: 'a',
  amount: centsOf(1_000),
  payee: { keyType: 'cpf', key: '52998224725' },
};

it('is the same for the same content, and for no other', () => {
  const one = fingerprints.ofTransfer('http', content);
  expect(fingerprints.ofTransfer('http', { ...content })).toBe(one);
  const others = [
    { ...content, accountId: 'b' },
    { ...content, amount: centsOf(1_001) },
    { ...content, payee: { ...content.payee, keyType: 'phone' } },
    { ...content, payee: { ...content.payee, key: '11144477735' } },
  ];
  for (const other of others) expect(fingerprints.ofTransfer('http', other)).not.toBe(one);
});

it('never takes a mask on a topic for a key over HTTP', () => {
  expect(fingerprints.ofTransfer('topic', content)).not.toBe(
    fingerprints.ofTransfer('http', content),
  );
});

it('cannot be computed by who has not the secret', () => {
  const others = fingerprintsWith(Buffer.alloc(32, 2));
  expect(others.ofTransfer('http', content)).not.toBe(fingerprints.ofTransfer('http', content));
});

it('is a code that events may carry', () => {
  const all = [fingerprints.ofTransfer('topic', content), fingerprints.ofDeposit(content)];
  for (const one of all) expect(one).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
});
