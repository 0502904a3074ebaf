import { contracts } from './catalog.ts';
import { allTopics, partitionCount, serviceNames, sourceOfService } from './topics.ts';

const topics = allTopics({ requestTeams: ['billing', 'payroll'] });

describe('the list of topics', () => {
  it('names each topic once, with a major version and nothing that collides in metric names', () => {
    const names = topics.map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^pix(\.[a-z0-9-]+)+\.v\d+$/);
  });

  it('gives every topic one writer, and every team its own', () => {
    const services = new Set(serviceNames.map(sourceOfService));

    for (const { family, source } of topics)
      expect(services.has(source)).toBe(family !== 'transfer-requests');
    expect(
      topics.filter(({ family }) => family === 'transfer-requests').map(({ source }) => source),
    ).toEqual(['urn:compasso:team:billing', 'urn:compasso:team:payroll']);
  });

  it('keeps the partition count of a major version, and facts for thirty days or more', () => {
    for (const { partitions, config } of topics) {
      expect(partitions).toBe(partitionCount);
      expect(Number(config['retention.ms'])).toBeGreaterThanOrEqual(30 * 86_400_000);
      expect(config['message.timestamp.type']).toBe('LogAppendTime');
    }
  });

  it('compacts the feed of latest states and nothing else', () => {
    const compacted = topics.filter(({ config }) => config['cleanup.policy']?.includes('compact'));

    expect(compacted.map(({ name }) => name)).toEqual(['pix.transfer-status.v1']);
  });

  it('has a place for every contract', () => {
    const families = new Set(topics.map(({ family }) => family));

    for (const { family } of contracts) expect(families).toContain(family);
  });
});
