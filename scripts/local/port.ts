import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** Listens for a moment; resolves to the port that was free, undefined when the wanted one is taken. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const { port: free } = server.address() as AddressInfo;
      server.close(() => resolve(free));
    });
  });
}

/**
 * A free port: the preferred one, which a checkout used before (so that addresses that people copied stay right), else
 * whatever the system gives. Two checkouts never prefer the same for long: the second finds it taken.
 */
export async function freePort(preferred?: number): Promise<number> {
  const port = (preferred === undefined ? undefined : await tryPort(preferred)) ?? (await tryPort(0));
  if (port === undefined) throw new Error('no free port on 127.0.0.1');
  return port;
}
