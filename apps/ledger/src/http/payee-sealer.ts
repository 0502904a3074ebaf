// Seals payees to the payout gateway's published keys, before any transaction is open. The file is
// looked at again now and then, so that the gateway can rotate its keys without a restart here.
import { readFileSync, statSync } from 'node:fs';
import { type PixKey, type PublicKeys, type SealedPayee, sealerTo } from '@compasso/contracts';
import { z } from 'zod';

export interface PayeeSealer {
  seal(key: PixKey): Promise<SealedPayee>;
}

const limits = { fileCheckMs: 1_000 } as const;

/** Public members only: whoever put the gateway's private key here must hear of it. */
const publicKeySet = z.object({
  keys: z
    .array(
      z.strictObject({
        kty: z.literal('EC'),
        crv: z.literal('P-256'),
        x: z.string(),
        y: z.string(),
        kid: z.string().optional(),
        use: z.string().optional(),
        alg: z.string().optional(),
        key_ops: z.array(z.string()).optional(),
      }),
    )
    .min(1),
});

/** Whether the file can be sealed to: asked once, by the configuration. */
export function holdsPublicKeys(path: string): boolean {
  try {
    readKeys(path);
    return true;
  } catch {
    return false;
  }
}

export function payeeSealer(path: string, monotonic = () => performance.now()): PayeeSealer {
  let seen = stampOf(path);
  let seal = sealerTo(readKeys(path), { monotonic });
  let checkedAt = monotonic();
  const lookAgain = (): void => {
    checkedAt = monotonic();
    try {
      const stamp = stampOf(path);
      if (stamp === seen) return;
      seal = sealerTo(readKeys(path), { monotonic });
      seen = stamp;
    } catch {
      // A file that is being replaced: the keys that we have still open at the gateway, and the
      // next look is soon.
    }
  };
  return {
    async seal(key) {
      if (monotonic() - checkedAt >= limits.fileCheckMs) lookAgain();
      return seal(key);
    },
  };
}

const readKeys = (path: string): PublicKeys =>
  publicKeySet.parse(JSON.parse(readFileSync(path, 'utf8'))) as PublicKeys;

function stampOf(path: string): string {
  const { mtimeMs, size, ino } = statSync(path);
  return `${mtimeMs}/${size}/${ino}`;
}
