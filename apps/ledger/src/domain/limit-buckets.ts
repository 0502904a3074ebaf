// Limits are cumulative per local day and per night (pix.md 1.6). A bucket is where the use of a
// limit is counted: `day:D` is the calendar day D, `night:D` the night that began on D, so that
// 02:00 counts for the evening before.
import { type Instant, localTime, previousDate } from '@compasso/kernel';

export const timeZone = 'America/Sao_Paulo';

/**
 * Minutes of the local day. Equal ends: the night covers the whole day, and `night:D` is the
 * calendar day D.
 */
export interface NightWindow {
  readonly from: number;
  readonly until: number;
}

export interface Period {
  readonly day: string;
  /** Absent by day. */
  readonly night: string | undefined;
}

export function periodAt(at: Instant, night: NightWindow): Period {
  const { date, minuteOfDay } = localTime(at, timeZone);
  const evening = nightBegan(date, minuteOfDay, night);
  return { day: `day:${date}`, night: evening === undefined ? undefined : `night:${evening}` };
}

/** The date on which the night of this moment began, if it is night. */
function nightBegan(
  date: string,
  minute: number,
  { from, until }: NightWindow,
): string | undefined {
  if (from === until) return date;
  if (from < until) return minute >= from && minute < until ? date : undefined;
  if (minute >= from) return date;
  return minute < until ? previousDate(date) : undefined;
}
