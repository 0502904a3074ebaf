// Who talks to whom over TCP, as the kernel sees it: sockets of a process from /proc, both ends from /proc/net/tcp.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Connection {
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
}

const established = '01';
const listening = '0A';

interface SocketRow extends Connection {
  readonly inode: string;
  readonly state: string;
}

export function connectionsOf(pid: number): { readonly open: readonly Connection[]; readonly listensOn: readonly number[] } {
  const inodes = new Set(socketsOf(pid));
  const own = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(rowsIn).filter(({ inode }) => inodes.has(inode));
  return {
    open: own.filter(({ state }) => state === established),
    listensOn: own.filter(({ state }) => state === listening).map(({ localPort }) => localPort),
  };
}

function socketsOf(pid: number): string[] {
  const directory = `/proc/${pid}/fd`;
  return readdirSync(directory).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${directory}/${name}`))?.[1] ?? [];
    } catch {
      // It was closed between the two looks.
      return [];
    }
  });
}

function rowsIn(file: string): SocketRow[] {
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [, local = '', remote = '', state = '', , , , , , inode = ''] = line.trim().split(/\s+/);
    const [remoteAddress = '', remotePort = '0'] = remote.split(':');
    return {
      localPort: Number.parseInt(local.split(':')[1] ?? '0', 16),
      remoteAddress,
      remotePort: Number.parseInt(remotePort, 16),
      state,
      inode,
    };
  });
}
