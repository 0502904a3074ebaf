// Makes what the services need on a Kafka and a Postgres that run already: development keys, a
// database and a role for each DATABASE_URL_<SERVICE>, topics. docker-compose.yml runs it once
// before the services.
//
//   SUPERUSER_DATABASE_URL=… DATABASE_URL_LEDGER=… KAFKA_BROKERS=… prepare.ts <keys directory>
import { allTopics } from '@compasso/contracts';
import { CodedError } from '@compasso/kernel';
import { provisionRoles } from '../../infra/postgres/provision.ts';
import { runCommand, say } from './command.ts';
import { ensureKeys } from './keys.ts';
import { givenDatabases } from './service-environment.ts';
import { settingsOf } from './system-options.ts';
import { createTopics } from './topics.ts';

await runCommand(async () => {
  const [keysDirectory] = process.argv.slice(2);
  if (keysDirectory === undefined)
    throw new CodedError('usage', 'usage: prepare.ts <directory for the keys>');
  await ensureKeys(keysDirectory);
  const { requestTeams, topicPrefix } = settingsOf({ log: say }, process.env);
  const superuserUrl = process.env['SUPERUSER_DATABASE_URL'];
  if (superuserUrl !== undefined)
    await provisionRoles(superuserUrl, rolesIn(Object.values(givenDatabases(process.env))));
  await createTopics(process.env, allTopics({ requestTeams }), topicPrefix);
  say('keys, databases and topics are there');
});

function rolesIn(urls: readonly string[]) {
  return urls.map((text) => {
    const url = new URL(text);
    return { name: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  });
}
