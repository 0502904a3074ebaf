// npm run up [-- --json] [-- --directory <path>]: starts the system in the background, or says that
// it runs already.
import { commandFlags, print, runCommand, say } from './command.ts';
import { startDetachedSystem } from './detached-system.ts';
import { inWords, reportOn } from './report.ts';
import { runDirectory } from './run-directory.ts';

await runCommand(async () => {
  const { json, ...where } = commandFlags();
  const { wasRunning } = await startDetachedSystem(where, say);
  const report = await reportOn(runDirectory(where.directory));
  say(wasRunning ? 'the system was running already' : 'the system is ready; npm run down stops it');
  if (json) print({ ...report, wasRunning });
  else process.stdout.write(inWords(report));
});
