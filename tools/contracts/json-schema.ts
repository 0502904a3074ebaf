// Zod is the source; this is what other teams validate with. Content stays open, so that a field added later breaks
// nobody, and patterns that are Zod's own wording are left out, so that an upgrade of Zod changes no contract.
import type { Contract } from '@compasso/contracts';
import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

const options = (target: 'draft-2020-12' | 'draft-7') =>
  ({
    target,
    io: 'input',
    unrepresentable: 'throw',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema instanceof z.core.$ZodStringFormat) delete jsonSchema.pattern;
    },
  }) satisfies Parameters<typeof z.toJSONSchema>[1];

/** The published file: JSON Schema 2020-12. */
export function publishedSchema(contract: Contract): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(contract.schema, options('draft-2020-12'));
  return {
    $schema,
    $id: `urn:compasso:schema:${contract.name}:v${contract.version}`,
    title: contract.type,
    description: contract.meaning,
    ...schema,
  };
}

export interface Payload {
  readonly schema: JsonSchema;
  readonly shared: Readonly<Record<string, JsonSchema>>;
}

/** The same in draft-07, the only draft that AsyncAPI's own parser validates; shared parts move out of the schema. */
export function asyncApiPayload(contract: Contract): Payload {
  const generated = z.toJSONSchema(contract.schema, options('draft-7'));
  const moved = JSON.parse(
    JSON.stringify(generated).replaceAll('"#/definitions/', '"#/components/schemas/'),
  ) as Record<string, unknown>;
  const { $schema: _, definitions = {}, ...schema } = moved;
  return { schema, shared: definitions as Payload['shared'] };
}
