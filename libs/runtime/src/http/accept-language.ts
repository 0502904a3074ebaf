import type { ProblemMessages } from './problem.ts';

/** English, unless the caller prefers any Portuguese. */
export function languageFrom(acceptLanguage: string | undefined): keyof ProblemMessages {
  if (!acceptLanguage) return 'en';
  let best: { language: keyof ProblemMessages; weight: number } = { language: 'en', weight: 0 };
  for (const range of acceptLanguage.slice(0, 500).split(',')) {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
    const language = /^pt\b/.test(tag) ? 'pt-BR' : /^(en\b|\*)/.test(tag) ? 'en' : undefined;
    const weight = weightFrom(parameters);
    // The first of equals wins, as the caller wrote them.
    if (language && weight > best.weight) best = { language, weight };
  }
  return best.language;
}

function weightFrom(parameters: readonly string[]): number {
  const quality = parameters
    .map((one) => /^\s*q=(\d(?:\.\d{1,3})?)\s*$/.exec(one)?.[1])
    .find((one) => one);
  return quality === undefined ? 1 : Math.min(Number(quality), 1);
}
