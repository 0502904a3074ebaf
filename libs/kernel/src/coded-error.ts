// Errors carry a stable code and facts, so that whoever decides what to do need not read sentences.

export type Facts = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** An error with a stable, snake_case code. `facts` never hold personal data: they end up in logs. */
export class CodedError extends Error {
  override readonly name: string = 'CodedError';
  readonly code: string;
  readonly facts: Facts;

  constructor(code: string, message: string, facts: Facts = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.facts = facts;
  }
}

/** Something that the code holds to be impossible has happened. The process stops; nothing is guessed. */
export class BrokenInvariant extends CodedError {
  override readonly name: string = 'BrokenInvariant';

  constructor(message: string, facts: Facts = {}) {
    super('broken_invariant', message, facts);
  }
}

/** @throws BrokenInvariant when `condition` is false. */
export function invariant(condition: unknown, message: string, facts?: Facts): asserts condition {
  if (!condition) throw new BrokenInvariant(message, facts);
}

/** Ends a switch over a union: the compiler refuses the call while a case is missing. */
export function unreachable(value: never): never {
  throw new BrokenInvariant('a case that the types rule out', { value: JSON.stringify(value) });
}
