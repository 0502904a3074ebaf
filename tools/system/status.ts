// npm run status [-- --json] [-- --directory <path>]: what runs, where it answers, whether it is
// ready.
import { commandFlags, print, runCommand } from './command.ts';
import { inWords, reportOn } from './report.ts';
import { runDirectory } from './run-directory.ts';

await runCommand(async () => {
  const { json, directory } = commandFlags();
  const report = await reportOn(runDirectory(directory));
  if (json) print(report);
  else process.stdout.write(inWords(report));
});
