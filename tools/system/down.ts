// npm run down [-- --json] [-- --directory <path>]: stops the system, and whatever a killed one has
// left.
import { commandFlags, print, runCommand, say } from './command.ts';
import { stopDetachedSystem } from './detached-system.ts';

await runCommand(async () => {
  const { json, directory } = commandFlags();
  const stopped = await stopDetachedSystem(directory);
  if (json) print({ running: false, stopped });
  else say(stopped ? 'everything is stopped' : 'nothing was running');
});
