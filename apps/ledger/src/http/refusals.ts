// What a caller, and the customer behind it, is told when the ledger says no. Codes are public and
// never renamed.
import type { PixKeyRefusal } from '@compasso/contracts';
import { problem, type Problem, type ProblemMessages } from '@compasso/runtime';
import type { AccountCommandRefusal } from '../domain/account.ts';
import type { CommandRefusal, RefusalReason } from '../domain/transfer.ts';

const transferSentences: Record<RefusalReason, ProblemMessages> = {
  account_blocked: {
    en: 'The account is blocked for outgoing transfers.',
    'pt-BR': 'A conta está bloqueada para transferências de saída.',
  },
  account_closed: {
    en: 'The account is closed.',
    'pt-BR': 'A conta está encerrada.',
  },
  not_after_passed: {
    en: 'The time until which the transfer was wanted has passed.',
    'pt-BR': 'O prazo até o qual a transferência era desejada já passou.',
  },
  transfer_limit_exceeded: {
    en: 'The amount is above the limit for a single transfer.',
    'pt-BR': 'O valor está acima do limite por transferência.',
  },
  day_limit_exceeded: {
    en: 'With this transfer the limit of the day would be exceeded.',
    'pt-BR': 'Com esta transferência o limite do dia seria ultrapassado.',
  },
  night_limit_exceeded: {
    en: 'With this transfer the limit of the night would be exceeded.',
    'pt-BR': 'Com esta transferência o limite noturno seria ultrapassado.',
  },
  insufficient_funds: {
    en: 'The available balance does not cover the transfer.',
    'pt-BR': 'O saldo disponível não cobre a transferência.',
  },
  cancelled_by_requester: {
    en: 'The transfer was cancelled before it was asked for.',
    'pt-BR': 'A transferência foi cancelada antes de ser pedida.',
  },
};

/** The transfer exists, as a refused one: the same request gets the same answer for ever. */
export const transferRefused = (transferId: string, reason: RefusalReason): Problem =>
  problem(422, reason, transferSentences[reason], { transferId });

const accountNotFound: ProblemMessages = {
  en: 'There is no such account.',
  'pt-BR': 'Esta conta não existe.',
};
const keyReused: ProblemMessages = {
  en: 'This Idempotency-Key was used before, with other content.',
  'pt-BR': 'Esta Idempotency-Key já foi usada com outro conteúdo.',
};
const accountClosed = transferSentences.account_closed;
const balanceLimit: ProblemMessages = {
  en: 'The balance of the account would become larger than we can tell exactly.',
  'pt-BR': 'O saldo da conta ficaria maior do que conseguimos informar com exatidão.',
};
const accountNotAllowed: ProblemMessages = {
  en: 'The token does not allow this account.',
  'pt-BR': 'O token não permite esta conta.',
};

const alreadySettled: ProblemMessages = {
  en: 'The transfer has been paid and can no longer be cancelled.',
  'pt-BR': 'A transferência já foi paga e não pode mais ser cancelada.',
};

/** The command was not taken: no transfer came of it. */
export function transferCommandRefused(reason: CommandRefusal): Problem {
  switch (reason) {
    case 'account_not_found':
      return problem(422, reason, accountNotFound);
    case 'account_not_allowed':
      return problem(403, reason, accountNotAllowed);
    case 'transfer_id_reused':
      return problem(422, 'idempotency_key_reused', keyReused);
    case 'transfer_not_of_account':
      return unknownTransfer();
    case 'transfer_already_settled':
      return problem(409, reason, alreadySettled);
  }
}

export function accountCommandRefused(reason: AccountCommandRefusal): Problem {
  switch (reason) {
    case 'account_id_reused':
    case 'deposit_id_reused':
      return problem(422, 'idempotency_key_reused', keyReused);
    case 'account_not_found':
      return unknownAccount();
    case 'account_closed':
      return problem(422, reason, accountClosed);
    case 'balance_limit_exceeded':
      return problem(422, reason, balanceLimit);
  }
}

export const unknownAccount = (): Problem => problem(404, 'account_not_found', accountNotFound);

export const unknownTransfer = (): Problem =>
  problem(404, 'transfer_not_found', {
    en: 'There is no such transfer.',
    'pt-BR': 'Esta transferência não existe.',
  });

export const malformedCursor = (): Problem =>
  problem(400, 'cursor_malformed', {
    en: 'Send the cursor exactly as it was given in `nextCursor`.',
    'pt-BR': 'Envie o cursor exatamente como veio em `nextCursor`.',
  });

export const differingAccountId = (): Problem =>
  problem(422, 'account_id_differs', {
    en: 'The Idempotency-Key is the id of the account; `accountId` must be the same or left out.',
    'pt-BR': 'A Idempotency-Key é o id da conta; `accountId` deve ser igual ou omitido.',
  });

const keySentences: Record<PixKeyRefusal, ProblemMessages> = {
  pix_key_cpf_invalid: {
    en: 'The key is not a valid CPF: 11 digits, without punctuation, with correct check digits.',
    'pt-BR':
      'A chave não é um CPF válido: 11 dígitos, sem pontuação, com dígitos verificadores corretos.',
  },
  pix_key_cnpj_invalid: {
    en: 'The key is not a valid CNPJ: 14 characters, capitals, with correct check digits.',
    'pt-BR':
      'A chave não é um CNPJ válido: 14 caracteres, maiúsculas, com dígitos verificadores corretos.',
  },
  pix_key_phone_invalid: {
    en: 'The key is not a valid phone number: + and country code, for example +5511987654321.',
    'pt-BR': 'A chave não é um telefone válido: + e código do país, por exemplo +5511987654321.',
  },
  pix_key_email_invalid: {
    en: 'The key is not a valid e-mail address of at most 77 characters.',
    'pt-BR': 'A chave não é um e-mail válido de no máximo 77 caracteres.',
  },
  pix_key_evp_invalid: {
    en: 'The key is not a valid random key: a UUID with hyphens.',
    'pt-BR': 'A chave não é uma chave aleatória válida: um UUID com hífens.',
  },
};

export const pixKeyRefused = (code: PixKeyRefusal): Problem =>
  problem(422, code, keySentences[code]);
