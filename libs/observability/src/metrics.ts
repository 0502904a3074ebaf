// Counters, gauges and histograms that only accept names of the list. Instruments are found late:
// the OTel API hands out dead instruments before a provider is registered, and ours are constants
// of modules that load earlier.
import {
  type Attributes,
  type Meter,
  metrics as api,
  type ObservableGauge,
} from '@opentelemetry/api';
import {
  type LabelsOf,
  type MetricDefinition,
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

export interface Observation<Name extends MetricName> {
  readonly value: number;
  readonly labels: LabelsOf<Name>;
}

/** What a gauge shows at the moment of a scrape; read from memory, never from a connection. */
export type Observe<Name extends MetricName> = () =>
  (keyof LabelsOf<Name> extends never ? number | undefined : never) | readonly Observation<Name>[];

export function counter<Name extends MetricNameOf<'counter'>>(name: Name): Counter<Name> {
  const instrument = lateBound((meter) => meter.createCounter(name, describe(name)));
  return {
    add: (value, ...labels) => instrument()?.add(value, labels[0] as Attributes | undefined),
  };
}

export function histogram<Name extends MetricNameOf<'histogram'>>(name: Name): Histogram<Name> {
  const { buckets } = metricDefinitions[name];
  const instrument = lateBound((meter) =>
    meter.createHistogram(name, {
      ...describe(name),
      advice: { explicitBucketBoundaries: [...buckets] },
    }),
  );
  return {
    record: (value, ...labels) => instrument()?.record(value, labels[0] as Attributes | undefined),
  };
}

/**
 * Shows `observe()` at each scrape until the returned function is called. Several observers may
 * share a name.
 */
export function gauge<Name extends MetricNameOf<'gauge'>>(
  name: Name,
  observe: Observe<Name>,
): () => void {
  const observer: Observer = { name, observe };
  observers.add(observer);
  if (current) attach(current, observer);
  return () => {
    observers.delete(observer);
    observer.detach?.();
  };
}

interface Observer {
  readonly name: MetricName;
  readonly observe: () => number | undefined | readonly { value: number; labels: object }[];
  detach?: () => void;
}

const observers = new Set<Observer>();
const gauges = new Map<MetricName, ObservableGauge>();
let current: Meter | undefined;
let registrations = 0;

/**
 * Called by `startTelemetry` once a meter provider is registered, and with nothing when it is shut
 * down.
 */
export function useMeterProvider(present: boolean): void {
  registrations += 1;
  gauges.clear();
  current = present ? api.getMeter('compasso') : undefined;
  for (const observer of observers) {
    delete observer.detach;
    if (current) attach(current, observer);
  }
}

function lateBound<Instrument>(create: (meter: Meter) => Instrument): () => Instrument | undefined {
  let made: Instrument | undefined;
  let madeFor = -1;
  return () => {
    if (madeFor !== registrations) {
      made = current && create(current);
      madeFor = registrations;
    }
    return made;
  };
}

function attach(meter: Meter, observer: Observer): void {
  const known = gauges.get(observer.name);
  const instrument = known ?? meter.createObservableGauge(observer.name, describe(observer.name));
  gauges.set(observer.name, instrument);
  const callback: Parameters<ObservableGauge['addCallback']>[0] = (result) => {
    const seen = observer.observe();
    if (seen === undefined) return;
    if (typeof seen === 'number') result.observe(seen);
    else for (const { value, labels } of seen) result.observe(value, labels as Attributes);
  };
  instrument.addCallback(callback);
  observer.detach = () => instrument.removeCallback(callback);
}

const describe = (name: MetricName): { description: string } => {
  const definition: MetricDefinition = metricDefinitions[name];
  return { description: definition.help };
};
