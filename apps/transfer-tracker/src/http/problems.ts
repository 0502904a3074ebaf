import { type Instant, instantToWire } from '@compasso/kernel';
import { problem, type Problem } from '@compasso/runtime';

/** @param asOf how far we have read: what was created after it cannot be here yet */
export const unknownTransfer = (asOf: Instant | null): Problem =>
  problem(
    404,
    'transfer_not_found',
    {
      en:
        'There is no such transfer here. A transfer that was created a moment ago may not have ' +
        'been read yet: compare with `asOf` and ask again; the ledger answers without delay.',
      'pt-BR':
        'Esta transferência não existe aqui. Uma transferência criada há instantes pode ainda não ' +
        'ter sido lida: compare com `asOf` e consulte de novo; o ledger responde sem atraso.',
    },
    { asOf: asOf === null ? null : instantToWire(asOf) },
  );

export const malformedCursor = (): Problem =>
  problem(400, 'cursor_malformed', {
    en: 'Send the cursor exactly as it was given in `nextCursor`.',
    'pt-BR': 'Envie o cursor exatamente como veio em `nextCursor`.',
  });
