import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { z } from 'zod';
import {
  boolean,
  commaList,
  ConfigurationError,
  decimal,
  duration,
  type Environment,
  integer,
  json,
  jsonFile,
  oneOf,
  parseConfig,
  processSchema,
  runtimeSchema,
  secretFile,
  secretText,
  text,
  timeOfDay,
  url,
  variableOf,
} from '../config.ts';

const directory = mkdtempSync(join(tmpdir(), 'compasso-config-'));
afterAll(() => rmSync(directory, { recursive: true }));
const fileWith = (name: string, content: string): string => {
  writeFileSync(join(directory, name), content);
  return join(directory, name);
};

const valueOf = (schema: z.ZodType, given: string | undefined): unknown =>
  parseConfig(z.object({ variable: schema }), { VARIABLE: given })['variable'];

function problemsOf(schema: z.ZodObject, environment: Environment): readonly string[] {
  try {
    parseConfig(schema, environment);
  } catch (error) {
    if (error instanceof ConfigurationError)
      return error.problems.map((one) => `${one.variable} ${one.rule}`);
    throw error;
  }
  return [];
}

const problemOf = (schema: z.ZodType, given: string | undefined): string =>
  problemsOf(z.object({ variable: schema }), { VARIABLE: given }).join('\n');

describe('names', () => {
  it.each([
    ['httpPort', 'HTTP_PORT'],
    ['otelExporterOtlpEndpoint', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    ['ledgerNightFrom', 'LEDGER_NIGHT_FROM'],
  ])('the field %s is the variable %s', (field, variable) =>
    expect(variableOf(field)).toBe(variable),
  );
});

describe('values', () => {
  it.each<[string, z.ZodType, string | undefined, unknown]>([
    ['an integer', integer(), '42', 42],
    ['its default', integer({ default: 7 }), undefined, 7],
    ['its default for an empty variable', integer({ default: 7 }), '', 7],
    ['a decimal', decimal(), '0.05', 0.05],
    ['milliseconds', duration(), '1500', 1_500],
    ['seconds', duration(), '15s', 15_000],
    ['minutes', duration(), '15m', 900_000],
    ['a duration by default', duration({ default: 5_000 }), undefined, 5_000],
    ['a time of day', timeOfDay(), '20:30', 1_230],
    ['a truth', boolean(), 'true', true],
    ['a choice', oneOf(['a', 'b']), 'b', 'b'],
    ['a URL without its last slash', url(), 'http://127.0.0.1:4318/', 'http://127.0.0.1:4318'],
    ['a list', commaList(), 'a, b ,', ['a', 'b']],
    ['JSON', json(z.record(z.string(), z.array(z.string()))), '{"acme":["*"]}', { acme: ['*'] }],
    ['nothing, if optional', url().optional(), undefined, undefined],
  ])('%s', (_name, schema, given, expected) => expect(valueOf(schema, given)).toEqual(expected));

  it('files', () => {
    const path = fileWith('value.json', '{"a":1}\n');
    expect(valueOf(jsonFile(z.object({ a: z.int() })), path)).toEqual({ a: 1 });
    expect((valueOf(secretFile(), path) as { reveal(): string }).reveal()).toBe('{"a":1}');
  });

  it('are frozen', () => {
    const config = parseConfig(z.object({ list: commaList() }), { LIST: 'a' });
    expect(Object.isFrozen(config) && Object.isFrozen(config.list)).toBe(true);
  });
});

describe('a wrong value is one sentence that names the variable and not the value', () => {
  it.each<[z.ZodType, string | undefined, RegExp]>([
    [integer({ min: 1, max: 9 }), '10', /^VARIABLE must be a whole number between 1 and 9$/],
    [integer(), '1e3', /a whole number/],
    [integer(), '0x10', /a whole number/],
    [integer(), '99999999999999999999', /a whole number/],
    [decimal(), 'Infinity', /a number/],
    [duration({ min: 100 }), '5', /a duration between 100ms/],
    [duration(), '5 minutes', /a duration/],
    [timeOfDay(), '24:00', /a time of day/],
    [boolean(), 'yes', /true or false/],
    [oneOf(['a', 'b']), 'c', /one of a, b/],
    [url(), 'localhost:9092', /begins with http:\/\/ or https:\/\//],
    [url({ protocols: ['postgres:'] }), 'http://x', /begins with postgres:\/\//],
    [commaList(), ' , ', /at least 1/],
    [commaList(), 'a,a', /twice/],
    [json(z.object({})), '{', /is not JSON/],
    [
      json(z.object({ a: z.object({ b: z.int() }) })),
      '{"a":{"b":"s3cret"}}',
      /unexpected form at a.b$/,
    ],
    [secretFile(), '/nowhere/at/all', /cannot be read \(ENOENT\)$/],
    [text(), undefined, /^VARIABLE is missing$/],
    [text(), '', /^VARIABLE is missing$/],
  ])('%#', (schema, given, expected) => {
    const sentence = problemOf(schema, given);
    expect(sentence).toMatch(expected);
    expect(sentence).not.toContain('s3cret');
  });

  it('also for an empty or short secret', () => {
    expect(problemOf(secretFile(), fileWith('empty', '\n'))).toMatch(/fewer than 1 characters/);
    expect(problemOf(secretFile({ minLength: 40 }), fileWith('short', 's3cret'))).toBe(
      'VARIABLE names a file with fewer than 40 characters',
    );
  });

  it('and no rule of a service is asked about a value that was refused', () => {
    const strict = secretFile().refine((secret) => secret.reveal() === 'x', {
      message: 'is not x',
    });
    expect(problemOf(strict, '/nowhere/at/all')).toBe(
      'VARIABLE names a file that cannot be read (ENOENT)',
    );
    expect(problemOf(strict, fileWith('other', 's3cret'))).toBe('VARIABLE is not x');
  });

  it('and all of them at once', () => {
    expect(problemsOf(processSchema, { HTTP_PORT: 'x' })).toEqual([
      'HTTP_PORT must be a whole number between 0 and 65535',
      'MANAGEMENT_PORT is missing',
    ]);
  });
});

describe('the shared variables', () => {
  const ports = { HTTP_PORT: '1', MANAGEMENT_PORT: '2' };
  it('have defaults', () => {
    expect(parseConfig(runtimeSchema, { ...ports, AUTH_JWKS_FILE: 'x' })).toMatchObject({
      serviceReplica: '1',
      httpHost: '127.0.0.1',
      logLevel: 'info',
      authIssuer: 'https://compasso.local',
      authAudience: 'compasso',
    });
  });
  it.each([{}, { AUTH_JWKS_FILE: 'x', AUTH_JWKS_URL: 'http://x' }])(
    'need one source of keys: %j',
    (given) => {
      expect(problemsOf(runtimeSchema, { ...ports, ...given })).toEqual([
        'AUTH_JWKS_FILE or AUTH_JWKS_URL must be set, and not both',
      ]);
    },
  );
  it('keep that rule when a service adds its own', () => {
    const schema = runtimeSchema.extend({ ledgerFeeCents: integer({ default: 0 }) });
    expect(problemsOf(schema, ports)).toHaveLength(1);
    expect(parseConfig(schema, { ...ports, AUTH_JWKS_FILE: 'x' }).ledgerFeeCents).toBe(0);
  });
});

it('a secret shows itself only when asked', () => {
  const { password } = parseConfig(z.object({ password: secretText() }), { PASSWORD: 's3cret' });
  const shown = [
    String(password),
    JSON.stringify({ password }),
    inspect({ password }, { depth: 9 }),
  ].join();
  expect(shown).not.toContain('s3cret');
  expect(password.reveal()).toBe('s3cret');
});
