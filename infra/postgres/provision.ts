// One database and one role per service. A role may enter its own database only, and there it may
// make tables: what it does to another service's data, or to the server, is refused by Postgres
// itself.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import pg from 'pg';

type Passwords = Record<string, string>;

const roleRights = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';

export type DatabaseRole = { readonly name: string; readonly password: string };

/** @returns the URL of each service's database. Doing it again changes nothing. */
export async function provisionDatabases<Service extends string>(
  superuserUrl: string,
  services: readonly Service[],
  { passwordFile }: { passwordFile: string },
): Promise<Record<Service, string>> {
  const passwords = keepPasswords(passwordFile, services.map(databaseName));
  const roles = services.map((service) => {
    const name = databaseName(service);
    return { service, name, password: passwords[name] ?? '' };
  });
  await provisionRoles(superuserUrl, roles);
  const urls = roles.map(({ service, ...role }) => [service, databaseUrl(superuserUrl, role)]);
  return Object.fromEntries(urls) as Record<Service, string>;
}

/** A database of the same name for each role, and its door shut to all others. */
export async function provisionRoles(
  superuserUrl: string,
  roles: readonly DatabaseRole[],
): Promise<void> {
  await withClient(superuserUrl, async (client) => {
    await client.query('REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC');
    for (const role of roles) await provisionRole(client, role);
  });
  for (const { name } of roles) await provisionSchema(superuserUrl, name);
}

/** `payout-gateway` → `payout_gateway`: the name of the database and of its role. */
export function databaseName(service: string): string {
  return service.replaceAll('-', '_');
}

async function provisionRole(client: pg.Client, { name, password }: DatabaseRole): Promise<void> {
  const role = client.escapeIdentifier(name);
  const verb = (await exists(client, 'SELECT 1 FROM pg_roles WHERE rolname = $1', name))
    ? 'ALTER'
    : 'CREATE';
  await client.query(
    `${verb} ROLE ${role} ${roleRights} PASSWORD ${client.escapeLiteral(password)}`,
  );
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

async function withClient(
  connectionString: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function databaseUrl(superuserUrl: string, { name, password }: DatabaseRole): string {
  const url = new URL(superuserUrl);
  url.username = name;
  url.password = password;
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
