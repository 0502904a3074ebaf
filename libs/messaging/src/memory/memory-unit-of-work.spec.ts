import { describeUnitOfWork } from '../ports/unit-of-work.features.ts';
import { MemoryUnitOfWork } from './memory-unit-of-work.ts';

describeUnitOfWork('in memory', async () => new MemoryUnitOfWork());
