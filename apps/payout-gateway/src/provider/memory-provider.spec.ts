import { MemoryProvider, type MemoryEnding, type MemoryFault } from './memory-provider.ts';
import { describeProvider, type Fault } from './provider.features.ts';

const faults: Partial<Record<Fault, MemoryFault>> = {
  silence_before_accepting: 'silence_before',
  error_before_accepting: 'error_before',
  silence_after_accepting: 'silence_after',
  reset_after_accepting: 'reset_after',
  error_after_accepting: 'error_after',
  unreadable_after_accepting: 'unreadable_after',
  refusal: 'refusal',
  too_many_requests: 'too_many_requests',
  credentials_refused: 'credentials_refused',
};

const endings: Partial<Record<Fault, MemoryEnding | 'never'>> = {
  fails: { status: 'failed', code: 'AC03' },
  processing_for_ever: 'never',
  unknown_status: 'never',
};

describeProvider('in memory', () => {
  const provider = new MemoryProvider();
  return {
    provider,
    befall(orderId, fault) {
      const known = faults[fault];
      if (known !== undefined) provider.befall(orderId, known);
      provider.plan(orderId, endings[fault] ?? { status: 'paid' });
    },
    orderCount: (orderId) => provider.orderCount(orderId),
    close: () => provider.close(),
  };
});
