import { CodedError } from '@compasso/kernel';
import { isRedactedName, redacted } from './redaction.ts';

it.each([
  'payee',
  'sealed',
  'key',
  'keys',
  'keyMasked',
  'key_masked',
  'cpf',
  'CNPJ',
  'authorization',
  'Set-Cookie',
  'token',
  'accessToken',
  'access_token',
  'apiKey',
  'x-api-key',
  'webhookSecret',
  'password',
  'privateKey',
  'databaseUrl',
  'payeePrivateJwks',
  'parameters',
  'metadata',
])('%s is taken out', (name) =>
  expect(redacted({ [name]: 'value' })).toEqual({ [name]: '[redacted]' }),
);

it.each([
  'transferId',
  'accountId',
  'code',
  'status',
  'topic',
  'offset',
  'attempt',
  'idempotencyKey',
  'keyCount',
])('%s stays', (name) => expect(isRedactedName(name)).toBe(false));

it('works at any depth, in arrays and errors', () => {
  const error = new CodedError(
    'not_found',
    'No account.',
    { accountId: 'a', cpf: '123' },
    { cause: new RangeError('in') },
  );
  expect(
    redacted({ events: [{ data: { payee: { key: '1' }, amountCents: 5n } }], err: error }),
  ).toEqual({
    events: [{ data: { payee: '[redacted]', amountCents: '5' } }],
    err: {
      type: 'CodedError',
      code: 'not_found',
      message: 'No account.',
      facts: { accountId: 'a', cpf: '[redacted]' },
      stack: expect.stringContaining('redaction.spec'),
      cause: { type: 'RangeError', message: 'in', stack: expect.any(String) },
    },
  });
});

it('leaves out what libraries hang on their errors, such as the parameters of a query', () => {
  const error = Object.assign(new Error('duplicate key'), {
    detail: 'Key (cpf)=(1)',
    parameters: ['1'],
    code: '23505',
  });
  const shown = JSON.stringify(redacted(error));
  expect(shown).toContain('23505');
  expect(shown).not.toMatch(/cpf|parameters/);
});

it('ends on values without end, and never shows bytes', () => {
  const circle: Record<string, unknown> = { bytes: Buffer.from('secret') };
  circle['self'] = circle;
  expect(JSON.stringify(redacted(circle))).toContain('[too deep]');
  expect(redacted(circle)).toMatchObject({ bytes: '[6 bytes]' });
  expect(redacted({ many: Array.from({ length: 1_000 }, () => 1) })).toMatchObject({
    many: { length: 50 },
  });
});
