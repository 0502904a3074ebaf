export type LockedPackage = {
  readonly version?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly link?: boolean;
};
type Packages = Readonly<Record<string, LockedPackage>>;

export function installedMatches(root: string): boolean;
export function sameModules(wanted: Packages, installed: Packages): boolean;
