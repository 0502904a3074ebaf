export { eventually, type Waiting } from './eventually.ts';
export { type PrivateDatabase, privateDatabase, type PrivateDatabaseOptions } from './private-database.ts';
export { createTopics, deleteTopics, privatePrefix, testBrokers } from './private-topic.ts';
