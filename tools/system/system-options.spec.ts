import { settingsOf } from './system-options.ts';

const log = () => {};

describe('the settings of a system', () => {
  it('suit a development machine when nothing is said', () => {
    expect(settingsOf({ log }, {})).toEqual({
      replicas: { ledger: 2, 'payout-gateway': 2, 'transfer-tracker': 2, 'provider-simulator': 1 },
      timeScale: '1',
      requestTeams: ['acme'],
      topicPrefix: '',
      otlpEndpoint: undefined,
    });
  });

  it('come from the environment, and from options before that', () => {
    const environment = { TIME_SCALE: '0.5', REQUEST_TEAMS: 'acme,loja', TOPIC_PREFIX: 'dev.' };
    expect(settingsOf({ log }, environment)).toMatchObject({
      timeScale: '0.5',
      requestTeams: ['acme', 'loja'],
      topicPrefix: 'dev.',
    });
    expect(settingsOf({ log, timeScale: 0.01, requestTeams: ['solo'] }, environment)).toMatchObject(
      {
        timeScale: '0.01',
        requestTeams: ['solo'],
      },
    );
  });
});
