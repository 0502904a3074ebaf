// Whether node_modules is what package-lock.json asks for, read from the list that npm itself
// leaves there: somebody who ran `npm ci` by hand is not made to wait for a second one.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function installedMatches(root) {
  const list = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(list)) return false;
  return sameModules(packagesIn(join(root, 'package-lock.json')), packagesIn(list));
}

/** Optional packages may be missing: most of them are for other systems than this one. */
export function sameModules(wanted, installed) {
  return Object.entries(wanted).every(([path, { version, integrity, optional, link }]) => {
    if (!path.includes('node_modules/') || link === true) return true;
    const found = installed[path];
    if (found === undefined) return optional === true;
    return found.version === version && found.integrity === integrity;
  });
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
  } catch {
    return {};
  }
}
