import { refusalOfImport } from '../boundaries.ts';
import { type File, isSource } from '../repository.ts';
import { importsOf } from '../syntax.ts';

export const importViolations = (files: readonly File[]): readonly string[] =>
  files.filter(isSource).flatMap((file) =>
    importsOf(file).flatMap(({ specifier, line }) => {
      const refusal = refusalOfImport({ from: file.path, specifier });
      return refusal === undefined ? [] : [`${file.path}:${line} ${specifier}: ${refusal}`];
    }),
  );
