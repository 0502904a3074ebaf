import { MemoryBroker, MemoryTransport } from '../memory/memory-transport.ts';
import { MemoryUnitOfWork } from '../memory/memory-unit-of-work.ts';
import { describeShell } from './shell.features.ts';

describeShell('in memory', async () => {
  const unitOfWork = new MemoryUnitOfWork();
  return {
    unitOfWork,
    transport: new MemoryTransport(new MemoryBroker()),
    rowsOf: async (table) => unitOfWork.rowsOf(table),
  };
});
