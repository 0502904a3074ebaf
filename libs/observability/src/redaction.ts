// What may not be in a log, by field name. The same names serve logs and whatever else is shown to
// operators.

/** Compared without case, hyphens and underscores. */
export const redactedNames: ReadonlySet<string> = new Set([
  'key',
  'keys',
  'pixkey',
  'keymasked',
  'payee',
  'sealed',
  'cpf',
  'cnpj',
  'document',
  'taxid',
  'email',
  'phone',
  'holdername',
  'metadata',
  'authorization',
  'cookie',
  'setcookie',
  'signature',
  'connectionstring',
  'databaseurl',
  'jwk',
  'jwks',
  'parameters',
  'rawbody',
]);

const secretEnding = /(?:secret|password|token|apikey|privatekey|privatejwks)$/;

const limits = { depthMax: 8, itemsMax: 50 } as const;

export const isRedactedName = (name: string): boolean => {
  const plain = name.toLowerCase().replace(/[-_]/g, '');
  return redactedNames.has(plain) || secretEnding.test(plain);
};

/**
 * A copy that JSON can write and that holds nothing of the list. Errors become their type, code,
 * facts and causes.
 */
export function redacted(value: unknown, depth = 0): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= limits.depthMax) return '[too deep]';
  if (value instanceof Error) return describeError(value, depth);
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value))
    return value.slice(0, limits.itemsMax).map((item) => redacted(item, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    copy[name] = isRedactedName(name) ? '[redacted]' : redacted(inner, depth + 1);
  }
  return copy;
}

function describeError(error: Error, depth: number): Record<string, unknown> {
  const { code, facts, cause } = error as Error & { code?: unknown; facts?: unknown };
  return {
    type: error.name,
    ...(code !== undefined && { code }),
    message: error.message,
    ...(facts !== undefined && { facts: redacted(facts, depth + 1) }),
    stack: error.stack,
    ...(cause !== undefined && { cause: redacted(cause, depth + 1) }),
    ...(error instanceof AggregateError && { errors: redacted(error.errors, depth + 1) }),
  };
}
