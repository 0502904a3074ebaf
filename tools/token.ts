// npm run token [-- --scope "…" --accounts a,b|* --subject name --expires 1h --directory <path> |
// --keys <path>] Prints a token for a development system, signed with the key of its run directory.
import { parseArgs } from 'node:util';
import { mintToken } from './mint-token.ts';
import { runCommand } from './system/command.ts';
import { ensureKeys } from './system/keys.ts';
import { runDirectory } from './system/run-directory.ts';

await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      scope: { type: 'string' },
      accounts: { type: 'string' },
      subject: { type: 'string' },
      expires: { type: 'string' },
      directory: { type: 'string' },
      keys: { type: 'string' },
    },
  });
  const keys = values.keys ?? runDirectory(values.directory).keys;
  if (values.keys === undefined) await ensureKeys(keys);
  const token = await mintToken(keys, {
    ...(values.scope === undefined ? {} : { scope: values.scope }),
    ...(values.accounts === undefined ? {} : { accounts: values.accounts.split(',') }),
    ...(values.subject === undefined ? {} : { subject: values.subject }),
    ...(values.expires === undefined ? {} : { expires: values.expires }),
  });
  process.stdout.write(`${token}\n`);
});
