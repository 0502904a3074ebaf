import { Controller, Get, Header, Inject } from '@nestjs/common';
import type { PublicKeys } from '@compasso/contracts';
import { Public } from '@compasso/runtime';

export const PAYEE_KEYS = Symbol('PAYEE_KEYS');

/** To whom payees are sealed. A rotation shows the new key first and drops the old one later. */
@Controller('.well-known')
export class PayeeKeysController {
  private readonly keys: PublicKeys;

  constructor(@Inject(PAYEE_KEYS) keys: PublicKeys) {
    this.keys = keys;
  }

  @Get('payee-jwks.json')
  @Public()
  @Header('cache-control', 'public, max-age=300')
  read(): PublicKeys {
    return this.keys;
  }
}
