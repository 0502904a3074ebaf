// RFC 9457 problems: what a caller is told when a request is refused, in English and Brazilian
// Portuguese.
import { CodedError } from '@compasso/kernel';

export interface ProblemMessages {
  readonly en: string;
  readonly 'pt-BR': string;
}

export interface ProblemExtras {
  /** Further members of the body. Never personal data, never what the caller sent. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** Made in `http/` folders only: the domain refuses with events, not with statuses. */
export class Problem extends CodedError {
  override readonly name = 'Problem';
  readonly status: number;
  readonly messages: ProblemMessages;
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, messages: ProblemMessages, extras: ProblemExtras = {}) {
    super(
      code,
      messages.en,
      { status },
      extras.cause === undefined ? undefined : { cause: extras.cause },
    );
    this.status = status;
    this.messages = messages;
    this.extensions = extras.extensions ?? {};
    this.headers = extras.headers ?? {};
  }
}

/** `throw problem(422, 'insufficient_funds', { en: …, 'pt-BR': … }, { availableCents })` */
export const problem = (
  status: number,
  code: string,
  messages: ProblemMessages,
  extensions?: Readonly<Record<string, unknown>>,
): Problem => new Problem(status, code, messages, extensions && { extensions });

export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly messages: ProblemMessages;
  readonly [extension: string]: unknown;
}

export const problemBody = (refusal: Problem, language: keyof ProblemMessages): ProblemBody => ({
  ...refusal.extensions,
  type: `urn:compasso:problem:${refusal.code}`,
  title: titleOf(refusal.code),
  status: refusal.status,
  code: refusal.code,
  detail: refusal.messages[language],
  messages: refusal.messages,
});

/**
 * `insufficient_funds` → `Insufficient funds`: a title is the same for every occurrence, so the
 * code can give it.
 */
const titleOf = (code: string): string => {
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
