export interface Judgement {
  readonly id: number;
  readonly name: string;
  /** How many things were looked at. Zero proves nothing and counts as a failure. */
  readonly checked: number;
  readonly violations: readonly string[];
  readonly ok: boolean;
}

export const judgement = (
  id: number,
  name: string,
  checked: number,
  violations: readonly string[],
): Judgement => ({ id, name, checked, violations, ok: checked > 0 && violations.length === 0 });

export function groupBy<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string | null | undefined,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null || key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
