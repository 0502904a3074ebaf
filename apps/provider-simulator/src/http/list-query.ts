import { instantFromWire, isWireInstant } from '@compasso/kernel';
import type { ListQuery } from '../sqlite/order-table.ts';
import { readCursor } from './wire.ts';

const ordersPerPage = 100;
const ordersPerPageMax = 500;

/** The query of GET /v1/payouts, or nothing when it is none. */
export function readListQuery(query: URLSearchParams): Omit<ListQuery, 'visibleAt'> | undefined {
  const { from, to, cursor, limit = String(ordersPerPage) } = fieldsOf(query);
  if (from === undefined || !isWireInstant(from)) return undefined;
  if (to === undefined || !isWireInstant(to)) return undefined;
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > ordersPerPageMax) return undefined;
  const asked = { from: instantFromWire(from), to: instantFromWire(to), limit: Number(limit) };
  if (cursor === undefined) return asked;
  const after = readCursor(cursor);
  return after && { ...asked, after };
}

/** A field that is given twice says nothing that could be followed: it becomes one no field can be. */
function fieldsOf(query: URLSearchParams): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name).join('&')]));
}
