import { keyFiles } from './keys.ts';
import { givenDatabases, serviceEnvironment, type Surroundings } from './service-environment.ts';
import { settingsOf } from './system-options.ts';

const position = { replica: 2, httpPort: 18_121, managementPort: 18_221 };
const urls = {
  ledger: 'postgres://ledger',
  'payout-gateway': 'postgres://gateway',
  'transfer-tracker': 'postgres://tracker',
};

function around(environment: NodeJS.ProcessEnv = {}): Surroundings {
  return {
    environment,
    settings: settingsOf({ log: () => {}, requestTeams: ['acme', 'loja'] }, environment),
    keys: keyFiles('/keys'),
    addresses: {
      ledger: ['http://127.0.0.1:18110'],
      'payout-gateway': ['http://127.0.0.1:18120', 'http://127.0.0.1:18121'],
      'transfer-tracker': ['http://127.0.0.1:18130'],
      'provider-simulator': ['http://127.0.0.1:18140'],
    },
    brokers: '127.0.0.1:19092',
    simulatorStore: '/run/provider-simulator.sqlite',
  };
}

describe('what a service is told', () => {
  it('names its replica, its ports and its own database', () => {
    expect(serviceEnvironment('payout-gateway', around(), position, urls)).toMatchObject({
      SERVICE_REPLICA: '2',
      HTTP_PORT: '18121',
      MANAGEMENT_PORT: '18221',
      DATABASE_URL: 'postgres://gateway',
      PROVIDER_URL: 'http://127.0.0.1:18140',
    });
  });

  it('never holds the database of another service, nor what else is in the shell', () => {
    const shell = {
      DATABASE_URL_LEDGER: 'postgres://ledger',
      AWS_SECRET_ACCESS_KEY: 'x',
      NODE_OPTIONS: '--inspect',
      npm_config_loglevel: 'silent',
    };
    const told = serviceEnvironment('payout-gateway', around(shell), position, urls);
    expect(Object.values(told)).not.toContain('postgres://ledger');
    for (const name of Object.keys(shell)) expect(told).not.toHaveProperty(name);
  });

  it('passes on how Kafka is reached, and what a person sets for a service', () => {
    const shell = {
      KAFKA_SSL: 'true',
      KAFKA_SASL_USERNAME: 'compasso',
      LEDGER_FEE_CENTS: '50',
      LOG_LEVEL: 'debug',
    };
    expect(serviceEnvironment('ledger', around(shell), position, urls)).toMatchObject(shell);
  });

  it('lets each team debit any account of a development system', () => {
    const { LEDGER_TEAM_ACCOUNTS } = serviceEnvironment('ledger', around(), position, urls);
    expect(JSON.parse(LEDGER_TEAM_ACCOUNTS ?? '')).toEqual({ acme: ['*'], loja: ['*'] });
  });

  it('gives the simulator no database and no Kafka, but the webhook of every gateway', () => {
    const told = serviceEnvironment(
      'provider-simulator',
      around(),
      { ...position, replica: 1 },
      urls,
    );
    expect(told).not.toHaveProperty('DATABASE_URL');
    expect(told).not.toHaveProperty('KAFKA_BROKERS');
    expect(told['WEBHOOK_URLS']?.split(',')).toHaveLength(2);
  });

  it('leaves the keys of callers to an issuer that was named', () => {
    const told = serviceEnvironment(
      'ledger',
      around({ AUTH_JWKS_URL: 'https://issuer.example/jwks' }),
      position,
      urls,
    );
    expect(told).toMatchObject({ AUTH_JWKS_URL: 'https://issuer.example/jwks' });
    expect(told).not.toHaveProperty('AUTH_JWKS_FILE');
  });
});

describe('given databases', () => {
  it('are read from one variable per service', () => {
    const environment = {
      DATABASE_URL_PAYOUT_GATEWAY: 'postgres://elsewhere/payouts?sslmode=require',
      DATABASE_URL_LEDGER: '',
    };
    expect(givenDatabases(environment)).toEqual({
      'payout-gateway': 'postgres://elsewhere/payouts?sslmode=require',
    });
  });
});
