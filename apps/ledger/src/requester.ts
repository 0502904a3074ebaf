// Who asked, as one code: events carry codes, never free text, and a token's subject may be any
// text.
import { createHash } from 'node:crypto';

const plain = /^[A-Za-z0-9_.-]{1,56}$/;

export const clientCode = (subject: string): string => requesterCode('client', subject);
export const teamCode = (team: string): string => requesterCode('team', team);

const requesterCode = (kind: string, name: string): string =>
  `${kind}.${plain.test(name) ? name : createHash('sha256').update(name).digest('base64url')}`;
