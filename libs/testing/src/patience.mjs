// Tests over real parts wait for things; the limit only ends what would never come, also on a busy machine.
import { jest } from '@jest/globals';

jest.setTimeout(120_000);
