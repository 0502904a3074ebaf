// What people are told about a transfer, in both languages. Codes are for programs; these may be reworded at any time.
import type { TransferViewRow } from '../postgres/tables.ts';

export interface Label {
  readonly en: string;
  readonly 'pt-BR': string;
}

const label = (en: string, ptBr: string): Label => ({ en, 'pt-BR': ptBr });

const byState: Readonly<Record<string, Label>> = {
  started: label('Request received', 'Pedido recebido'),
  funds_reserved: label(
    'Money reserved, waiting to be sent',
    'Valor reservado, aguardando o envio',
  ),
  awaiting_clearance: label(
    'Money reserved, waiting for approval',
    'Valor reservado, aguardando aprovação',
  ),
  submitted: label('Sent, waiting for confirmation', 'Enviada, aguardando confirmação'),
  completed: label('Completed', 'Concluída'),
  compensating: label(
    'Not paid, the money is on its way back to the account',
    'Não paga, o valor está voltando à conta',
  ),
  compensated: label(
    'Not paid, the money is back in the account',
    'Não paga, o valor voltou à conta',
  ),
  refused: label('Refused, no money was moved', 'Recusada, nenhum valor foi movimentado'),
  needs_review: label(
    'A person is looking into it, the money stays reserved',
    'Em análise por uma pessoa, o valor continua reservado',
  ),
};

const outcomeUnknown = label(
  'Sent, the outcome is not known yet, the money stays reserved',
  'Enviada, o resultado ainda não é conhecido, o valor continua reservado',
);
const beingBooked = label('Paid, being booked', 'Paga, em contabilização');
const contradictory = label(
  'Contradictory answers, under investigation',
  'Respostas contraditórias, em apuração',
);
const notTaken = label('The request was not accepted', 'O pedido não foi aceito');

const byAttention: Readonly<Record<string, Label>> = {
  late: label('later than expected', 'mais demorada que o esperado'),
  stuck: label('much later than expected', 'muito mais demorada que o esperado'),
};

type Shown = Pick<TransferViewRow, 'state' | 'money' | 'certainty' | 'attention' | 'dueStep'>;

export function labelsOf(shown: Shown): Label {
  const base = baseOf(shown);
  const more = byAttention[shown.attention];
  if (more === undefined) return base;
  return label(`${base.en} (${more.en})`, `${base['pt-BR']} (${more['pt-BR']})`);
}

function baseOf({ state, money, certainty, dueStep }: Shown): Label {
  if (money === 'conflicted') return contradictory;
  if (state === 'submitted' && certainty === 'unknown') return outcomeUnknown;
  if (state === 'submitted' && certainty === 'confirmed') return beingBooked;
  if (state === 'started' && dueStep === null) return notTaken;
  return byState[state] ?? label(state, state);
}
