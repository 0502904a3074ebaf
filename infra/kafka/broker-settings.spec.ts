import { brokerSettings, newKafkaId, settingsFile } from './broker-settings.ts';

describe('broker settings', () => {
  const settings = brokerSettings({ dataDirectory: '/data', port: 19_092, controllerPort: 19_392 });

  it('listen on this machine only', () => {
    expect(settings).toMatchObject({
      listeners: 'PLAINTEXT://127.0.0.1:19092,CONTROLLER://127.0.0.1:19392',
      'advertised.listeners': 'PLAINTEXT://127.0.0.1:19092',
      'controller.quorum.voters': '1@127.0.0.1:19392',
    });
  });

  it('never create a topic that nobody has defined', () => {
    expect(settings['auto.create.topics.enable']).toBe('false');
  });

  it('are written as a properties file', () => {
    expect(settingsFile({ 'node.id': '1', 'log.dirs': 'C:\\data' })).toBe(
      'node.id=1\nlog.dirs=C:\\\\data\n',
    );
  });
});

describe('an id of Kafka', () => {
  it('is 16 bytes, and never looks like an option of its tools', () => {
    const ids = Array.from({ length: 500 }, newKafkaId);
    expect(ids.every((id) => /^[\w][\w-]{21}$/.test(id))).toBe(true);
  });
});
