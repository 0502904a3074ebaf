// Validation of what a caller sends. The answer names the place and the broken rule, never the
// value.
import type { PipeTransform } from '@nestjs/common';
import type { z } from 'zod';
import { standardProblem } from './standard-problems.ts';

export interface FieldError {
  readonly path: string;
  readonly code: string;
}

const limits = { errorsMax: 20, pathLengthMax: 100 } as const;

/** `@Body(validated(schema)) body: z.output<typeof schema>`; also for `@Query` and `@Param`. */
export const validated = <Schema extends z.ZodType>(
  schema: Schema,
): PipeTransform<unknown, z.output<Schema>> => new ValidatedPipe(schema);

/** @throws Problem 400 `body_missing` or `invalid_request` */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  if (value === undefined) throw standardProblem('body_missing');
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw standardProblem('invalid_request', {
    extensions: { errors: fieldErrors(result.error.issues, value) },
  });
}

class ValidatedPipe<Schema extends z.ZodType> implements PipeTransform<unknown, z.output<Schema>> {
  readonly #schema: Schema;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  transform(value: unknown): z.output<Schema> {
    return parsed(this.#schema, value);
  }
}

type Issue = z.core.$ZodIssue;

export function fieldErrors(issues: readonly Issue[], value: unknown): readonly FieldError[] {
  return issues.flatMap((issue) => errorsOf(issue, value)).slice(0, limits.errorsMax);
}

function errorsOf(issue: Issue, value: unknown): readonly FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: pathText([...issue.path, key]),
      code: 'unknown_field',
    }));
  }
  return [{ path: pathText(issue.path), code: ruleOf(issue, value) }];
}

function ruleOf(issue: Issue, value: unknown): string {
  // `.refine(…, { params: { code: 'check_digits' } })` gives a rule its own public name.
  if (issue.code === 'custom') {
    const code: unknown = issue.params?.['code'];
    return typeof code === 'string' ? code : 'invalid';
  }
  if (issue.code !== 'invalid_type') return issue.code;
  if (valueAt(value, issue.path) === undefined) return 'required';
  return issue.expected === 'int' ? 'not_an_integer' : 'invalid_type';
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[step];
  }
  return at;
}

const pathText = (path: readonly PropertyKey[]): string =>
  path.map(String).join('.').slice(0, limits.pathLengthMax);
