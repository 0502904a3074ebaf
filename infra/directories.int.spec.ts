import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canEnter, placeOnce } from './directories.ts';

const stranger = { uid: 65_534, gid: 65_534 };

function setup() {
  const directory = mkdtempSync(join(tmpdir(), 'compasso-directories-'));
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

describe('a directory that another user must reach', () => {
  it('is out of reach below one that only its owner may enter', () => {
    const { directory, remove } = setup();
    const inner = join(directory, 'inner');
    mkdirSync(inner);
    expect(canEnter(inner, stranger)).toBe(false);
    chmodSync(directory, 0o755);
    expect(canEnter(inner, stranger)).toBe(true);
    expect(canEnter(join(inner, 'not made yet'), stranger)).toBe(true);
    remove();
  });
});

describe('a directory that is placed once', () => {
  it('is there whole or not at all', async () => {
    const { directory, remove } = setup();
    const target = join(directory, 'placed');
    const failing = placeOnce(target, async (draft) => {
      writeFileSync(join(draft, 'half'), '');
      return Promise.reject(new RangeError('out of disk'));
    });
    await expect(failing).rejects.toThrow('out of disk');
    expect(readdirSync(directory)).toEqual([]);
    remove();
  });

  it('is filled by the first of two who come at once', async () => {
    const { directory, remove } = setup();
    const target = join(directory, 'placed');
    const fill = (name: string) =>
      placeOnce(target, async (draft) => writeFileSync(join(draft, name), ''));
    await Promise.all([fill('one'), fill('two')]);
    expect(readdirSync(target)).toHaveLength(1);
    expect(existsSync(target)).toBe(true);
    expect(readdirSync(directory)).toEqual(['placed']);
    remove();
  });
});
