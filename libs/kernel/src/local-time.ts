// Wall time of a named zone. The zone's rules come from the runtime: Brazil dropped summer time in 2019, and
// a private copy of the rules would not know (field failure E-08).
import { addMilliseconds, type Instant } from './instant.ts';

export interface LocalTime {
  /** YYYY-MM-DD */
  readonly date: string;
  /** 0 … 1439 */
  readonly minuteOfDay: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatFor(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  formats.set(zone, made);
  return made;
}

export function localTime(at: Instant, zone: string): LocalTime {
  const parts: Record<string, string> = {};
  for (const part of formatFor(zone).formatToParts(at)) parts[part.type] = part.value;
  return {
    date: `${parts['year']}-${parts['month']}-${parts['day']}`,
    minuteOfDay: Number(parts['hour']) * 60 + Number(parts['minute']),
  };
}

export const previousDate = (date: string): string =>
  new Date(addMilliseconds(Date.parse(`${date}T00:00:00Z`) as Instant, -86_400_000))
    .toISOString()
    .slice(0, 10);
