import { connectionOf } from './kafka-connection.ts';

describe('the connection to Kafka', () => {
  it('is plain when only brokers are named', () => {
    expect(connectionOf({ KAFKA_BROKERS: 'a:9092, b:9092' })).toEqual({
      brokers: ['a:9092', 'b:9092'],
      ssl: false,
    });
  });

  it('is encrypted and signed in when that is asked for', () => {
    const environment = {
      KAFKA_BROKERS: 'a:9093',
      KAFKA_SSL: 'true',
      KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
      KAFKA_SASL_USERNAME: 'tools',
      KAFKA_SASL_PASSWORD: 'secret',
    };
    expect(connectionOf(environment)).toEqual({
      brokers: ['a:9093'],
      ssl: true,
      sasl: { mechanism: 'scram-sha-512', username: 'tools', password: 'secret' },
    });
  });

  it('is refused with a mechanism that nobody speaks', () => {
    expect(() => connectionOf({ KAFKA_BROKERS: 'a:9093', KAFKA_SASL_MECHANISM: 'gssapi' })).toThrow(
      /KAFKA_SASL_MECHANISM/,
    );
  });
});
