// One value per set of labels, found by a key that costs little to build.

export type Labels = Readonly<Record<string, string>>;

export interface Labelled<Value> {
  readonly labels: Labels;
  readonly value: Value;
}

/** Labels have few values; where one does not, it must not fill the memory. */
export const labelledValuesMax = 2_000;

const separator = '\u0000';
const overflow = 'other';

export class LabelledValues<Value> {
  readonly #names: readonly string[];
  readonly #make: () => Value;
  readonly #byKey = new Map<string, Labelled<Value>>();

  constructor(names: readonly string[], make: () => Value) {
    this.#names = names;
    this.#make = make;
  }

  /** The value of these labels, made when it is new. */
  of(labels: Labels = {}): Value {
    const key = this.#keyOf(labels);
    const known = this.#byKey.get(key);
    if (known) return known.value;
    if (this.#byKey.size < labelledValuesMax) return this.#begin(key, labels);
    const others = Object.fromEntries(this.#names.map((name) => [name, overflow]));
    const otherKey = this.#keyOf(others);
    return this.#byKey.get(otherKey)?.value ?? this.#begin(otherKey, others);
  }

  all(): readonly Labelled<Value>[] {
    return [...this.#byKey.values()];
  }

  forget(): void {
    this.#byKey.clear();
  }

  #begin(key: string, labels: Labels): Value {
    const value = this.#make();
    this.#byKey.set(key, { labels: { ...labels }, value });
    return value;
  }

  #keyOf(labels: Labels): string {
    let key = '';
    for (const name of this.#names) key += `${labels[name]}${separator}`;
    return key;
  }
}
