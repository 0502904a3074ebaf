// Metrics that are read at each scrape. They bypass OTel's observable instruments, which show the
// last value of a label for ever: a partition that was taken away would keep its lag, and a healed
// topic its dead letters.
import { ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import {
  type LabelsOf,
  type MetricDefinition,
  metricDefinitions,
  type MetricName,
  type MetricNameOf,
} from './metric-names.ts';

export interface Observation<Name extends MetricName> {
  readonly value: number;
  readonly labels: LabelsOf<Name>;
}

/**
 * The value of this moment, read from memory and never from a connection; nothing when it is not
 * known.
 */
export type Observe<Name extends MetricName> = () =>
  (keyof LabelsOf<Name> extends never ? number | undefined : never) | readonly Observation<Name>[];

/**
 * Shows `observe()` at each scrape until the returned function is called. Several may share a name.
 */
export function gauge<Name extends MetricNameOf<'gauge'>>(
  name: Name,
  observe: Observe<Name>,
): () => void {
  return addObserver({ name, observe });
}

/** A counter that somebody else already counts, such as the CPU time of the process. */
export function observedCounter<Name extends MetricNameOf<'counter'>>(
  name: Name,
  observe: Observe<Name>,
): () => void {
  return addObserver({ name, observe });
}

interface Observer {
  readonly name: MetricName;
  readonly observe: () => number | undefined | readonly { value: number; labels: object }[];
}

const observers = new Set<Observer>();

function addObserver(observer: Observer): () => void {
  observers.add(observer);
  return () => void observers.delete(observer);
}

export const observedMetrics: MetricProducer = {
  async collect() {
    const errors: unknown[] = [];
    const byName = new Map<MetricName, MetricData>();
    for (const observer of observers) {
      try {
        add(byName, observer);
      } catch (error) {
        errors.push(error); // the others are shown all the same
      }
    }
    const scopeMetrics = [{ scope: { name: 'compasso' }, metrics: [...byName.values()] }];
    return { errors, resourceMetrics: { resource: emptyResource(), scopeMetrics } };
  },
};

function add(byName: Map<MetricName, MetricData>, { name, observe }: Observer): void {
  const seen = observe();
  if (seen === undefined) return;
  const metric = byName.get(name) ?? emptyMetric(name);
  byName.set(name, metric);
  const readings = typeof seen === 'number' ? [{ value: seen, labels: {} }] : seen;
  const at: [number, number] = [0, 0]; // never written: a scrape has its own time
  for (const { value, labels } of readings) {
    (metric.dataPoints as unknown[]).push({
      startTime: at,
      endTime: at,
      attributes: labels,
      value,
    });
  }
}

function emptyMetric(name: MetricName): MetricData {
  const { kind, help }: MetricDefinition = metricDefinitions[name];
  const common = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPoints: [],
  };
  return kind === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true }
    : { ...common, dataPointType: DataPointType.GAUGE };
}
