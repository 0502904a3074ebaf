// Counters and histograms that only accept names of the list. They are kept here and read at each
// scrape: OTel's instruments sort and serialise the labels of every single call, which costs a hot
// path more than what it counts.
import { ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
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
import { type Labels, LabelledValues } from './labelled-values.ts';

type LabelArguments<Name extends MetricName> = keyof LabelsOf<Name> extends never
  ? []
  : [labels: LabelsOf<Name>];

export interface Counter<Name extends MetricName> {
  add(value: number, ...labels: LabelArguments<Name>): void;
}

export interface Histogram<Name extends MetricName> {
  record(value: number, ...labels: LabelArguments<Name>): void;
}

interface Sum {
  total: number;
}

interface Distribution {
  sum: number;
  count: number;
  /** One per bucket, and one for what is above them all. */
  readonly counts: number[];
}

const sums = new Map<MetricName, LabelledValues<Sum>>();
const distributions = new Map<MetricName, LabelledValues<Distribution>>();
let kept = false;

export function counter<Name extends MetricNameOf<'counter'>>(name: Name): Counter<Name> {
  const values = shared(sums, name, () => ({ total: 0 }));
  return {
    add: (value, ...labels) => {
      if (kept) values.of(labels[0] as Labels | undefined).total += value;
    },
  };
}

export function histogram<Name extends MetricNameOf<'histogram'>>(name: Name): Histogram<Name> {
  const { buckets } = metricDefinitions[name];
  const values = shared(distributions, name, () => ({
    sum: 0,
    count: 0,
    counts: Array<number>(buckets.length + 1).fill(0),
  }));
  return {
    record: (value, ...labels) => {
      if (kept) record(values.of(labels[0] as Labels | undefined), value, buckets);
    },
  };
}

/** Called by `startTelemetry`, and when it is shut down: what nobody will read is not kept. */
export function keepMetrics(present: boolean): void {
  kept = present;
  for (const values of [...sums.values(), ...distributions.values()]) values.forget();
}

export const countedMetrics: MetricProducer = {
  async collect() {
    const metrics = [
      ...[...sums].map(([name, values]) => sumData(name, values)),
      ...[...distributions].map(([name, values]) => histogramData(name, values)),
    ].filter(({ dataPoints }) => dataPoints.length > 0);
    const scopeMetrics = [{ scope: { name: 'compasso' }, metrics }];
    return { errors: [], resourceMetrics: { resource: emptyResource(), scopeMetrics } };
  },
};

/** Several may count under one name. */
function shared<Value>(
  all: Map<MetricName, LabelledValues<Value>>,
  name: MetricName,
  make: () => Value,
): LabelledValues<Value> {
  const values = all.get(name) ?? new LabelledValues(metricDefinitions[name].labels, make);
  all.set(name, values);
  return values;
}

function record(into: Distribution, value: number, buckets: readonly number[]): void {
  let bucket = 0;
  while (bucket < buckets.length && value > (buckets[bucket] ?? 0)) bucket += 1;
  into.counts[bucket] = (into.counts[bucket] ?? 0) + 1;
  into.sum += value;
  into.count += 1;
}

function sumData(name: MetricName, values: LabelledValues<Sum>): MetricData {
  return {
    ...commonData(name),
    dataPointType: DataPointType.SUM,
    isMonotonic: true,
    dataPoints: pointsOf(values, ({ total }) => total),
  };
}

function histogramData(name: MetricName, values: LabelledValues<Distribution>): MetricData {
  const { buckets = [] }: MetricDefinition = metricDefinitions[name];
  return {
    ...commonData(name),
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: pointsOf(values, ({ sum, count, counts }) => ({
      buckets: { boundaries: [...buckets], counts },
      sum,
      count,
    })),
  };
}

const commonData = (name: MetricName) => ({
  descriptor: {
    name,
    description: metricDefinitions[name].help,
    unit: '',
    valueType: ValueType.DOUBLE,
  },
  aggregationTemporality: AggregationTemporality.CUMULATIVE,
});

function pointsOf<Value, Shown>(
  values: LabelledValues<Value>,
  show: (value: Value) => Shown,
): DataPoint<Shown>[] {
  const never: [number, number] = [0, 0]; // not written: a scrape has its own time
  return values.all().map(({ labels, value }) => ({
    startTime: never,
    endTime: never,
    attributes: { ...labels },
    value: show(value),
  }));
}
