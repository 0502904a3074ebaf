import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { claimPort, loopback } from './ports.ts';

const first = 17_300;

async function occupy(port: number, host: string): Promise<Server> {
  const server = createServer().listen({ port, host });
  await once(server, 'listening');
  return server;
}

describe('a port', () => {
  it.each([loopback, '0.0.0.0'])('that somebody listens on at %s is passed over', async (host) => {
    const own = await claimPort(first);
    own.release();
    const server = await occupy(own.port, host);
    const next = await claimPort(own.port);
    expect(next.port).toBeGreaterThan(own.port);
    next.release();
    server.close();
  });

  it('that another run has claimed is passed over, even before anybody listens', async () => {
    const one = await claimPort(first);
    const two = await claimPort(first);
    expect(two.port).toBeGreaterThan(one.port);
    one.release();
    const again = await claimPort(first);
    expect(again.port).toBe(one.port);
    again.release();
    two.release();
  });
});
