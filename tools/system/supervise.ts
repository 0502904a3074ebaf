// The process behind `npm run up`: it outlives the terminal, keeps the system running, and stops it
// when told to.
//
//   supervise.ts <options as JSON>
import { startSystem } from './system.ts';
import type { PortableOptions } from './system-options.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as PortableOptions;
const log = (sentence: string) => console.log(`${new Date().toISOString()} ${sentence}`);

try {
  const system = await startSystem({ ...options, log });
  await system.waitReady().catch(async (error: unknown) => {
    await system.stop();
    throw error;
  });
  log('ready');
} catch (error) {
  log(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
