import { join } from 'node:path';
import { cacheDirectory } from './directories.ts';

describe('the cache of downloads', () => {
  it.each([
    [{ COMPASSO_CACHE: '/cache' }, '/cache'],
    [{ XDG_CACHE_HOME: '/home/ana/.cache' }, join('/home/ana/.cache', 'compasso')],
    [{ COMPASSO_CACHE: '', XDG_CACHE_HOME: '/x' }, join('/x', 'compasso')],
  ])('is outside the clone: %j', (environment, directory) => {
    expect(cacheDirectory(environment)).toBe(directory);
  });
});
