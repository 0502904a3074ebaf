export { eventually, type Waiting } from './eventually.ts';
export { type PrivateDatabase, privateDatabase, type PrivateDatabaseOptions } from './private-database.ts';
export { createTopics, deleteTopics, privatePrefix, testBrokers } from './private-topic.ts';
export type { Facts, MessagingFacts, RecordFact, SpanFact, ViewFact } from './invariants/facts.ts';
export { judgeAll, judges } from './invariants/judge.ts';
export type { Judgement } from './invariants/judgement.ts';
