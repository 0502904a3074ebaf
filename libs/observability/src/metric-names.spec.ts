import { type MetricDefinition, metricDefinitions } from './metric-names.ts';

const definitions = Object.entries<MetricDefinition>(metricDefinitions);

describe('the list of names', () => {
  it.each(definitions)(
    '%s follows the conventions of Prometheus',
    (name, { kind, help, labels }) => {
      expect(name).toMatch(/^compasso_[a-z]+(_[a-z]+)*$/);
      expect(name.endsWith('_total')).toBe(kind === 'counter');
      expect(help).toMatch(/^\S.*\.$/);
      for (const label of labels) expect(label).toMatch(/^[a-z]+$/);
      if (kind === 'histogram') expect(name).toMatch(/_(seconds|messages)$/);
    },
  );
});
