// How long a file and a function may be (house style: what fits a screen is understood at once).
import { isTestCode } from '../boundaries.ts';
import { type File, isSource } from '../repository.ts';
import { functionsOf } from '../syntax.ts';

export const sizeLimits = { sourceLinesMax: 300, specLinesMax: 500, functionLinesMax: 60 } as const;

export const sizeViolations = (files: readonly File[]): readonly string[] =>
  files.filter(isSource).flatMap((file) => [...longFile(file), ...longFunctions(file)]);

function longFile({ path, text }: File): readonly string[] {
  const max = isTestCode(path) ? sizeLimits.specLinesMax : sizeLimits.sourceLinesMax;
  const lines = text.trimEnd().split('\n').length;
  return lines > max ? [`${path} has ${lines} lines, more than ${max}: split it`] : [];
}

const longFunctions = (file: File): readonly string[] =>
  functionsOf(file)
    .filter(({ lines, isSuite }) => !isSuite && lines > sizeLimits.functionLinesMax)
    .map(({ line, lines }) => `${file.path}:${line} a function of ${lines} lines, more than ${sizeLimits.functionLinesMax}`);
