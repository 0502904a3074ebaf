import { instantOf } from '@compasso/kernel';
import type { EachBatchPayload } from 'kafkajs';
import type { ReceivedRecord } from '../ports/transport.ts';

export const toRecord = (message: EachBatchPayload['batch']['messages'][number]): ReceivedRecord => ({
  offset: BigInt(message.offset),
  timestamp: instantOf(Number(message.timestamp)),
  key: message.key,
  value: message.value,
  headers: message.headers ?? {},
});
