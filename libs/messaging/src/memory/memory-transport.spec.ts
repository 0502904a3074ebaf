import { describeTransport } from '../ports/transport.features.ts';
import { MemoryBroker, MemoryTransport } from './memory-transport.ts';

describeTransport('in memory', async () => {
  const broker = new MemoryBroker();
  return { topic: 'letters', connect: () => new MemoryTransport(broker) };
});
