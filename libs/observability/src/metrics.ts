// Counters and histograms that only accept names of the list. Instruments are found late: the OTel
// API hands out dead instruments before a provider is registered, and ours are constants of modules
// that load earlier.
import { type Attributes, type Meter, metrics as api } from '@opentelemetry/api';
import {
  type LabelsOf,
  metricDefinitions,
  type MetricName,
  type MetricNameOf,
} from './metric-names.ts';

type LabelArguments<Name extends MetricName> = keyof LabelsOf<Name> extends never
  ? []
  : [labels: LabelsOf<Name>];

export interface Counter<Name extends MetricName> {
  add(value: number, ...labels: LabelArguments<Name>): void;
}

export interface Histogram<Name extends MetricName> {
  record(value: number, ...labels: LabelArguments<Name>): void;
}

export function counter<Name extends MetricNameOf<'counter'>>(name: Name): Counter<Name> {
  const instrument = lateBound((meter) =>
    meter.createCounter(name, { description: metricDefinitions[name].help }),
  );
  return {
    add: (value, ...labels) => instrument()?.add(value, labels[0] as Attributes | undefined),
  };
}

export function histogram<Name extends MetricNameOf<'histogram'>>(name: Name): Histogram<Name> {
  const { buckets, help } = metricDefinitions[name];
  const instrument = lateBound((meter) =>
    meter.createHistogram(name, {
      description: help,
      advice: { explicitBucketBoundaries: [...buckets] },
    }),
  );
  return {
    record: (value, ...labels) => instrument()?.record(value, labels[0] as Attributes | undefined),
  };
}

let meter: Meter | undefined;
let registrations = 0;

/** Called by `startTelemetry` once a meter provider is registered, and when it is shut down. */
export function useMeterProvider(present: boolean): void {
  registrations += 1;
  meter = present ? api.getMeter('compasso') : undefined;
}

function lateBound<Instrument>(create: (meter: Meter) => Instrument): () => Instrument | undefined {
  let made: Instrument | undefined;
  let madeFor = -1;
  return () => {
    if (madeFor !== registrations) {
      made = meter && create(meter);
      madeFor = registrations;
    }
    return made;
  };
}
