// Configuration is read once, checked across fields, frozen, and wrong means not starting. The
// field `httpPort` is the variable HTTP_PORT: one rule, no second list. An empty variable counts as
// missing.
import { CodedError } from '@compasso/kernel';
import type { z } from 'zod';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigurationProblem {
  readonly variable: string;
  readonly rule: string;
}

export class ConfigurationError extends CodedError {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly ConfigurationProblem[];

  constructor(problems: readonly ConfigurationProblem[]) {
    super('configuration_wrong', 'The configuration is wrong.', { problems: problems.length });
    this.problems = problems;
  }
}

/** Prints one line per problem and exits with 1 when the environment does not fit the schema. */
export function readConfig<Schema extends z.ZodObject>(
  schema: Schema,
  environment: Environment = process.env,
): Readonly<z.output<Schema>> {
  try {
    return parseConfig(schema, environment);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(describeProblems(error.problems));
    process.exit(1);
  }
}

/** @throws ConfigurationError */
export function parseConfig<Schema extends z.ZodObject>(
  schema: Schema,
  environment: Environment,
): Readonly<z.output<Schema>> {
  const given: Record<string, string> = {};
  for (const field of Object.keys(schema.shape)) {
    const value = environment[variableOf(field)];
    if (value !== undefined && value !== '') given[field] = value;
  }
  const parsed = schema.safeParse(given);
  if (parsed.success) return deepFreeze(parsed.data);
  throw new ConfigurationError(
    parsed.error.issues.map((issue) => {
      const field = String(issue.path[0] ?? '');
      // Zod's sentences never quote the value; ours must not either: it may be a secret in the
      // wrong place.
      return { variable: variableOf(field), rule: field in given ? issue.message : missing(issue) };
    }),
  );
}

export const variableOf = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

const missing = (issue: { code: string; message: string }): string =>
  issue.code === 'custom' ? issue.message : 'is missing';

const describeProblems = (problems: readonly ConfigurationProblem[]): string =>
  problems.map(({ variable, rule }) => `configuration: ${variable} ${rule}\n`).join('');

function deepFreeze<T>(value: T): T {
  // Only plain data: freezing a Secret or a Set would promise more than it does.
  if (Array.isArray(value) || Object.getPrototypeOf(value ?? 0) === Object.prototype) {
    for (const inner of Object.values(value as object)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
