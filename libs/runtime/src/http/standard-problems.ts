// The problems that any service may answer. Codes are public: they are never renamed.
import { Problem, type ProblemExtras, type ProblemMessages } from './problem.ts';

type Definition = readonly [status: number, en: string, ptBr: string];

const definitions = {
  malformed_json: [
    400,
    'The body is not valid JSON in UTF-8.',
    'O corpo não é um JSON válido em UTF-8.',
  ],
  json_too_deep: [400, 'The JSON is nested too deeply.', 'O JSON tem níveis demais.'],
  duplicate_field: [400, 'The JSON names a field twice.', 'O JSON repete um campo.'],
  forbidden_field: [
    400,
    'The JSON has a field name that is never accepted.',
    'O JSON tem um nome de campo que nunca é aceito.',
  ],
  body_missing: [400, 'The request needs a JSON body.', 'A requisição precisa de um corpo JSON.'],
  body_incomplete: [
    400,
    'The body has another length than announced.',
    'O corpo tem tamanho diferente do anunciado.',
  ],
  body_too_large: [413, 'The body is larger than accepted.', 'O corpo é maior do que o aceito.'],
  unsupported_media_type: [
    415,
    'Send the body as application/json.',
    'Envie o corpo como application/json.',
  ],
  invalid_request: [
    400,
    'The request does not have the expected form; `errors` says where.',
    'A requisição não tem o formato esperado; veja onde em `errors`.',
  ],
  malformed_url: [
    400,
    'The path of the request cannot be read.',
    'O caminho da requisição não pode ser lido.',
  ],
  bad_request: [400, 'The request cannot be read.', 'A requisição não pode ser lida.'],
  headers_too_large: [
    431,
    'The headers are larger than accepted.',
    'Os cabeçalhos são maiores do que o aceito.',
  ],
  request_timeout: [
    408,
    'The request took too long to arrive.',
    'A requisição demorou demais para chegar.',
  ],
  idempotency_key_missing: [
    400,
    'Send an Idempotency-Key header with a UUID of your own for this operation.',
    'Envie o cabeçalho Idempotency-Key com um UUID seu para esta operação.',
  ],
  idempotency_key_malformed: [
    400,
    'The Idempotency-Key header must hold exactly one UUID.',
    'O cabeçalho Idempotency-Key deve conter exatamente um UUID.',
  ],
  token_missing: [401, 'Send a bearer token.', 'Envie um token de acesso (bearer).'],
  token_expired: [401, 'The token has expired.', 'O token expirou.'],
  token_invalid: [401, 'The token is not accepted here.', 'O token não é aceito aqui.'],
  scope_missing: [
    403,
    'The token does not allow this operation.',
    'O token não permite esta operação.',
  ],
  account_not_allowed: [
    403,
    'The token does not allow this account.',
    'O token não permite esta conta.',
  ],
  not_found: [404, 'There is nothing here.', 'Não há nada aqui.'],
  method_not_allowed: [
    405,
    'This method is not offered here.',
    'Este método não é oferecido aqui.',
  ],
  internal_error: [
    500,
    'Something failed on our side. Repeating the request with the same Idempotency-Key is safe.',
    'Algo falhou do nosso lado. Repetir a requisição com a mesma Idempotency-Key é seguro.',
  ],
  temporarily_unavailable: [
    503,
    'We cannot answer right now. Repeating the request with the same Idempotency-Key is safe.',
    'Não conseguimos responder agora. Repetir a requisição com a mesma Idempotency-Key é seguro.',
  ],
} as const satisfies Readonly<Record<string, Definition>>;

export type StandardProblemCode = keyof typeof definitions;

export const standardProblemCodes = Object.keys(definitions) as readonly StandardProblemCode[];

export function standardProblem(code: StandardProblemCode, extras?: ProblemExtras): Problem {
  const [status, en, ptBr] = definitions[code];
  const messages: ProblemMessages = { en, 'pt-BR': ptBr };
  return new Problem(status, code, messages, extras);
}

/** For failures that pass by themselves. The caller may come back after a second. */
export const temporarilyUnavailable = (cause?: unknown): Problem =>
  standardProblem('temporarily_unavailable', { cause, headers: { 'retry-after': '1' } });
