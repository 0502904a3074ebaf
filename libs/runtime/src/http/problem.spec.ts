import { languageFrom } from './accept-language.ts';
import { flawOfJson } from './json-text.ts';
import { Problem, problem, problemBody } from './problem.ts';
import {
  standardProblem,
  standardProblemCodes,
  temporarilyUnavailable,
} from './standard-problems.ts';

it('is RFC 9457 in two languages', () => {
  const refusal = problem(
    422,
    'insufficient_funds',
    { en: 'Too little.', 'pt-BR': 'Pouco.' },
    { shortCents: 5 },
  );
  expect(problemBody(refusal, 'pt-BR')).toEqual({
    type: 'urn:compasso:problem:insufficient_funds',
    title: 'Insufficient funds',
    status: 422,
    code: 'insufficient_funds',
    detail: 'Pouco.',
    messages: { en: 'Too little.', 'pt-BR': 'Pouco.' },
    shortCents: 5,
  });
});

it('lets no extension replace a standard member', () => {
  const refusal = new Problem(
    422,
    'a',
    { en: '', 'pt-BR': '' },
    { extensions: { status: 200, code: 'b' } },
  );
  expect(problemBody(refusal, 'en')).toMatchObject({ status: 422, code: 'a' });
});

it.each(standardProblemCodes)('%s has two sentences', (code) => {
  const { messages, status } = standardProblem(code);
  expect(messages.en).toMatch(/^[A-Z].+\.$/);
  expect(messages['pt-BR']).toMatch(/^[A-Z].+\.$/);
  expect(status).toBeGreaterThanOrEqual(400);
});

it('keeps the cause of a failure for the log', () => {
  const cause = new RangeError('x');
  expect(temporarilyUnavailable(cause).cause).toBe(cause);
});

describe('the language of the detail', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['pt-BR', 'pt-BR'],
    ['pt', 'pt-BR'],
    ['pt-PT,pt;q=0.9,en;q=0.8', 'pt-BR'],
    ['en-US,en;q=0.9,pt;q=0.8', 'en'],
    ['en;q=0.5, pt-BR;q=0.9', 'pt-BR'],
    ['fr, pt;q=0.2', 'pt-BR'],
    ['pt;q=0', 'en'],
    ['*', 'en'],
    ['ptx', 'en'],
    [';;;=,,q', 'en'],
  ])('%j', (header, expected) => expect(languageFrom(header)).toBe(expected));
});

describe('flaws of valid JSON', () => {
  it.each([
    ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', undefined],
    ['{"a":"{\\"a\\":1,\\"a\\":2}"}', undefined],
    ['{"a":"x:","b":["a","a","a"]}', undefined],
    ['{"a" : 1, "a"\n:2}', 'duplicate_field'],
    ['[{"b":{"a":1,"a":1}}]', 'duplicate_field'],
    ['{"\\\\":1,"\\\\":2}', 'duplicate_field'],
    ['{"\\"":1,"b":2}', undefined],
    ['{"prototype":1}', 'forbidden_field'],
    ['{"a":"__proto__"}', undefined],
    [`${'['.repeat(32)}${']'.repeat(32)}`, undefined],
    [`${'['.repeat(33)}${']'.repeat(33)}`, 'json_too_deep'],
    ['"a"', undefined],
    ['1', undefined],
  ])('%s', (text, expected) => {
    JSON.parse(text);
    expect(flawOfJson(text)).toBe(expected);
  });
});
