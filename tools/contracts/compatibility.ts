// Released schema against today's, over the subset of JSON Schema that Zod writes. Within a major version readers and
// writers of any two releases meet, so only optional fields may come or go. Whatever this file does not know counts
// as a break: a new keyword is looked at by a person before it is let through.
import type { JsonSchema } from './json-schema.ts';

export interface Break {
  /** The field, as in `payee.keyType`; `[]` is an element, `{}` a value under a free name. */
  readonly field: string;
  readonly rule: string;
}

type Fields = Readonly<Record<string, JsonSchema>>;

/** They explain and do not constrain. */
const annotations = new Set([
  '$schema',
  '$id',
  '$defs',
  'title',
  'description',
  'deprecated',
  'examples',
]);
/** Keywords whose value is a schema again, and what is added to the field's name inside. */
const nestedSchemas: Readonly<Record<string, string>> = {
  items: '[]',
  additionalProperties: '{}',
  propertyNames: '{name}',
};

export const breaksBetween = (released: JsonSchema, current: JsonSchema): readonly Break[] =>
  compare(bare(released, released), bare(current, current), '');

/** Without annotations, and with every reference replaced by what it stands for. */
function bare(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { $ref: reference, ...own } = schema;
  const referred = typeof reference === 'string' ? definitionOf(reference, root) : {};
  return Object.fromEntries(
    Object.entries({ ...referred, ...own })
      .filter(([keyword]) => !annotations.has(keyword))
      .map(([keyword, value]) => [keyword, bareValue(keyword, value, root)]),
  );
}

function bareValue(keyword: string, value: unknown, root: JsonSchema): unknown {
  if (keyword === 'properties') {
    const fields = Object.entries(value as Fields);
    return Object.fromEntries(fields.map(([name, field]) => [name, bare(field, root)]));
  }
  if (Array.isArray(value)) return value.map((part) => (isSchema(part) ? bare(part, root) : part));
  return isSchema(value) ? bare(value, root) : value;
}

const definitionOf = (reference: string, root: JsonSchema): JsonSchema =>
  bare((root['$defs'] as Fields)[reference.replace('#/$defs/', '')] ?? {}, root);

function compare(released: JsonSchema, current: JsonSchema, field: string): Break[] {
  const keywords = new Set([...Object.keys(released), ...Object.keys(current)]);
  keywords.delete('required');
  return [...keywords].flatMap((keyword): Break[] => {
    if (keyword === 'properties') return compareFields(released, current, field);
    const [before, after] = [released[keyword], current[keyword]];
    const suffix = nestedSchemas[keyword];
    if (suffix !== undefined && isSchema(before) && isSchema(after)) {
      return compare(before, after, `${field}${suffix}`);
    }
    const rule = ruleOf(keyword, before, after);
    return rule === undefined ? [] : [{ field, rule }];
  });
}

function compareFields(released: JsonSchema, current: JsonSchema, field: string): Break[] {
  const [before, after] = [fieldsOf(released), fieldsOf(current)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name): Break[] => {
    const path = field === '' ? name : `${field}.${name}`;
    const [old, now] = [before[name], after[name]];
    const [wasRequired, isRequiredNow] = [isRequired(released, name), isRequired(current, name)];
    if (old === undefined)
      return isRequiredNow ? [{ field: path, rule: 'required field added' }] : [];
    if (now === undefined)
      return wasRequired ? [{ field: path, rule: 'required field removed' }] : [];
    const became = wasRequired ? 'field became optional' : 'field became required';
    return [
      ...(wasRequired === isRequiredNow ? [] : [{ field: path, rule: became }]),
      ...compare(old, now, path),
    ];
  });
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldsOf = (schema: JsonSchema): Fields => (schema['properties'] ?? {}) as Fields;

const isRequired = (schema: JsonSchema, name: string): boolean =>
  ((schema['required'] ?? []) as readonly string[]).includes(name);

function ruleOf(keyword: string, before: unknown, after: unknown): string | undefined {
  if (keyword === 'enum' && Array.isArray(before) && Array.isArray(after)) {
    if (before.some((value) => !after.includes(value))) return 'enum value removed';
    return after.some((value) => !before.includes(value)) ? 'enum value added' : undefined;
  }
  return JSON.stringify(before) === JSON.stringify(after) ? undefined : `${keyword} changed`;
}
