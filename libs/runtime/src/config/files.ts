// Variables that name a file, which is read at the start.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { addRefusal, fitJson, optionalText, refuse, type Refusing } from './reading.ts';
import { Secret } from './secret.ts';

/** The content of the file that the variable names, read now; never printed. */
export const secretFile = ({ minLength = 1 }: { readonly minLength?: number } = {}) =>
  optionalText(undefined).transform((path, context) => {
    const content = readText(path, context)?.trim();
    if (content === undefined) return z.NEVER;
    if (content.length < minLength)
      return refuse(context, `names a file with fewer than ${minLength} characters`);
    return new Secret(content);
  });

/** The JSON content of the file that the variable names, read now. */
export const jsonFile = <Schema extends z.ZodType>(schema: Schema) =>
  optionalText(undefined).transform((path, context): z.output<Schema> => {
    const content = readText(path, context);
    return content === undefined ? z.NEVER : fitJson(content, schema, context);
  });

function readText(path: string, context: Refusing): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    addRefusal(context, `names a file that cannot be read (${code})`);
    return undefined;
  }
}
