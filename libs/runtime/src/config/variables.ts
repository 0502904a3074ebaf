// The kinds of variables. Each turns text into a value, and its sentence about a wrong value never
// quotes it.
import { z } from 'zod';
import { fitJson, optionalText, refuse } from './reading.ts';
import { Secret } from './secret.ts';

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

type WithDefault<Value> = { readonly default?: Value };

/** A whole number within bounds. */
export const integer = ({
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
  default: fallback,
}: Bounds & WithDefault<number> = {}) =>
  numeric({ pattern: /^-?\d+$/, min, max, fallback, what: 'a whole number' });

/** A number within bounds, for example a scale of time. */
export const decimal = ({
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
  default: fallback,
}: Bounds & WithDefault<number> = {}) =>
  numeric({ pattern: /^-?\d+(\.\d+)?$/, min, max, fallback, what: 'a number' });

/**
 * TIME_SCALE: multiplies waiting policies; 1 in production, small where minutes must pass in
 * seconds.
 */
export const timeScale = () => decimal({ min: 0.000_1, max: 100, default: 1 });

const units: Readonly<Record<string, number>> = {
  '': 1,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds, from `1500`, `1500ms`, `15s`, `15m`, `24h` or `7d`. */
export const duration = ({
  min = 0,
  max = 366 * 86_400_000,
  default: fallback,
}: Bounds & WithDefault<number> = {}) =>
  optionalText(fallback === undefined ? undefined : String(fallback)).transform((text, context) => {
    const match = /^(\d+)(ms|s|m|h|d)?$/.exec(text);
    const value = match ? Number(match[1]) * (units[match[2] ?? ''] ?? 1) : Number.NaN;
    if (value >= min && value <= max) return value;
    return refuse(context, `must be a duration between ${min}ms and ${max}ms, for example 15s`);
  });

/** Minutes since midnight, from `20:00`. */
export const timeOfDay = ({ default: fallback }: WithDefault<string> = {}) =>
  optionalText(fallback).transform((text, context) => {
    const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
    return match
      ? Number(match[1]) * 60 + Number(match[2])
      : refuse(context, 'must be a time of day such as 20:00');
  });

export const boolean = ({ default: fallback }: WithDefault<boolean> = {}) =>
  optionalText(fallback === undefined ? undefined : String(fallback)).transform((text, context) => {
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
    return refuse(context, 'must be true or false');
  });

export const text = ({ default: fallback }: WithDefault<string> = {}) => optionalText(fallback);

export const oneOf = <const Values extends readonly [string, ...string[]]>(
  values: Values,
  { default: fallback }: WithDefault<Values[number]> = {},
) =>
  optionalText(fallback).transform((value, context): Values[number] =>
    values.includes(value) ? value : refuse(context, `must be one of ${values.join(', ')}`),
  );

/** An absolute URL without a trailing slash. */
export const url = ({
  protocols = ['http:', 'https:'],
  default: fallback,
}: WithDefault<string> & { readonly protocols?: readonly string[] } = {}) =>
  optionalText(fallback).transform((value, context) =>
    isUrl(value, protocols)
      ? value.replace(/\/+$/, '')
      : refuse(
          context,
          `must be a URL that begins with ${protocols.map((one) => `${one}//`).join(' or ')}`,
        ),
  );

/** `a,b,c` without blanks and empty items. */
export const commaList = ({
  min = 1,
  default: fallback,
}: WithDefault<string> & { readonly min?: number } = {}) =>
  optionalText(fallback).transform((value, context): readonly string[] => {
    const items = value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
    if (items.length < min)
      return refuse(context, `must list at least ${min} value(s), separated by commas`);
    if (new Set(items).size !== items.length) return refuse(context, 'lists a value twice');
    return items;
  });

/** A JSON value that fits `schema`. */
export const json = <Schema extends z.ZodType>(
  schema: Schema,
  { default: fallback }: WithDefault<string> = {},
) =>
  optionalText(fallback).transform((value, context): z.output<Schema> =>
    fitJson(value, schema, context),
  );

/**
 * A text that is never printed, given in the variable itself, such as a database URL with its
 * password.
 */
export const secretText = () => optionalText(undefined).transform((value) => new Secret(value));

interface Numeric {
  readonly pattern: RegExp;
  readonly min: number;
  readonly max: number;
  readonly fallback: number | undefined;
  readonly what: string;
}

const numeric = ({ pattern, min, max, fallback, what }: Numeric) =>
  optionalText(fallback === undefined ? undefined : String(fallback)).transform(
    (value, context) => {
      const number = pattern.test(value) ? Number(value) : Number.NaN;
      return number >= min && number <= max
        ? number
        : refuse(context, `must be ${what} between ${min} and ${max}`);
    },
  );

function isUrl(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol);
}
