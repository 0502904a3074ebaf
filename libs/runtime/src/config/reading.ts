// What the kinds of variables share: how text becomes a value, or is refused without being quoted.
import { z } from 'zod';

export const optionalText = (fallback: string | undefined) =>
  fallback === undefined ? z.string() : z.string().default(fallback);

export interface Refusing {
  readonly issues: z.core.$ZodRawIssue[];
}

export function addRefusal(context: Refusing, message: string): void {
  context.issues.push({ code: 'custom', message, input: undefined });
}

/** Ends a transform with a refusal. What it returns is never seen: Zod discards failed results. */
export function refuse(context: Refusing, message: string): never {
  addRefusal(context, message);
  return z.NEVER;
}

export function fitJson<Schema extends z.ZodType>(
  source: string,
  schema: Schema,
  context: Refusing,
): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    return refuse(context, 'is not JSON');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.') ?? '';
  return refuse(context, `has an unexpected form${where && ` at ${where}`}`);
}
