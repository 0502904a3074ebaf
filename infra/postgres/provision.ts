// One database and one role per service. A role may enter its own database only, and there it may make tables:
// what it does to another service's data, or to the server, is refused by Postgres itself.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import pg from 'pg';

type Passwords = Record<string, string>;

const roleRights = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';

/** @returns the URL of each service's database. Doing it again changes nothing. */
export async function provisionDatabases<Service extends string>(
  superuserUrl: string,
  services: readonly Service[],
  { passwordFile }: { passwordFile: string },
): Promise<Record<Service, string>> {
  const passwords = keepPasswords(passwordFile, services.map(databaseName));
  await withClient(superuserUrl, async (client) => {
    await client.query('REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC');
    for (const service of services) await provisionRole(client, databaseName(service), passwords);
  });
  for (const service of services) await provisionSchema(superuserUrl, databaseName(service));
  return Object.fromEntries(
    services.map((service) => [service, databaseUrl(superuserUrl, databaseName(service), passwords)]),
  ) as Record<Service, string>;
}

/** `payout-gateway` → `payout_gateway`: the name of the database and of its role. */
export function databaseName(service: string): string {
  return service.replaceAll('-', '_');
}

async function provisionRole(client: pg.Client, name: string, passwords: Passwords): Promise<void> {
  const role = client.escapeIdentifier(name);
  const password = client.escapeLiteral(passwords[name] ?? '');
  const verb = (await exists(client, 'SELECT 1 FROM pg_roles WHERE rolname = $1', name)) ? 'ALTER' : 'CREATE';
  await client.query(`${verb} ROLE ${role} ${roleRights} PASSWORD ${password}`);
  if (!(await exists(client, 'SELECT 1 FROM pg_database WHERE datname = $1', name))) {
    await client.query(`CREATE DATABASE ${role} TEMPLATE template0 ENCODING 'UTF8'`);
  }
  await client.query(`REVOKE ALL ON DATABASE ${role} FROM PUBLIC`);
  await client.query(`GRANT CONNECT ON DATABASE ${role} TO ${role}`);
}

async function provisionSchema(superuserUrl: string, name: string): Promise<void> {
  const url = new URL(superuserUrl);
  url.pathname = `/${name}`;
  await withClient(url.href, async (client) => {
    await client.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
    await client.query(`GRANT USAGE, CREATE ON SCHEMA public TO ${client.escapeIdentifier(name)}`);
  });
}

async function exists(client: pg.Client, sql: string, name: string): Promise<boolean> {
  return ((await client.query(sql, [name])).rowCount ?? 0) > 0;
}

async function withClient(connectionString: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function databaseUrl(superuserUrl: string, name: string, passwords: Passwords): string {
  const url = new URL(superuserUrl);
  url.username = name;
  url.password = passwords[name] ?? '';
  url.pathname = `/${name}`;
  return url.href;
}

function keepPasswords(file: string, names: readonly string[]): Passwords {
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Passwords) : {};
  for (const name of names) kept[name] ??= randomBytes(24).toString('hex');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify(kept), { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return kept;
}
