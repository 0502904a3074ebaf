// What a caller of the gateway is told when it says no. Codes are public and never renamed.
import { problem, type Problem } from '@compasso/runtime/problems';

export const unknownPayout = (): Problem =>
  problem(404, 'payout_not_found', {
    en: 'There is no payout for this transfer.',
    'pt-BR': 'Não há pagamento para esta transferência.',
  });

export const webhookUnsigned = (): Problem =>
  problem(401, 'webhook_signature_invalid', {
    en: 'The signature does not belong to this body.',
    'pt-BR': 'A assinatura não corresponde a este corpo.',
  });

export const webhookStale = (): Problem =>
  problem(401, 'webhook_timestamp_out_of_range', {
    en: 'The signed timestamp is too far from our clock.',
    'pt-BR': 'O horário assinado está distante demais do nosso relógio.',
  });
