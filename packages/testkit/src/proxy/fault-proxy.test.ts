import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { startFaultProxy, type FaultProxy } from './fault-proxy.js';

/** Says back whatever it hears, and remembers it. */
async function startEcho() {
  const sockets = new Set<Socket>();
  let heard = '';
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (data) => {
      heard += data.toString();
      socket.write(data);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    heard: () => heard,
    connections: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Client {
  socket: Socket;
  say(text: string): void;
  heard(): string;
  /** `end` when it was closed in peace, else the code of its error. */
  fate(): string | undefined;
}

describe('the fault proxy', () => {
  let echo: Awaited<ReturnType<typeof startEcho>>;
  let proxy: FaultProxy;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    echo = await startEcho();
    proxy = await startFaultProxy({ target: { port: echo.port } });
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await proxy.close();
    await echo.close();
  });

  function client(): Client {
    const socket = connect(proxy.port, '127.0.0.1');
    sockets.push(socket);
    let heard = '';
    let fate: string | undefined;
    socket.on('data', (data) => (heard += data.toString()));
    socket.on('end', () => (fate ??= 'end'));
    socket.on('error', (error: NodeJS.ErrnoException) => (fate ??= error.code));
    return { socket, say: (text) => socket.write(text), heard: () => heard, fate: () => fate };
  }

  async function talking(text = 'hello'): Promise<Client> {
    const one = client();
    one.say(text);
    await expect.poll(() => one.heard()).toBe(text);
    return one;
  }

  it('passes on every byte in order, more than buffers hold, both ways', async () => {
    const one = client();
    const text = Array.from({ length: 400_000 }, (_, nth) => `${nth}.`).join('');
    one.say(text);
    await expect.poll(() => one.heard().length).toBe(text.length);
    expect(one.heard()).toBe(text);
  });

  it('passes on that a side closed in peace', async () => {
    const one = await talking();
    one.socket.end();
    await expect.poll(() => one.fate()).toBe('end');
    await expect.poll(() => [proxy.linkCount, echo.connections()]).toEqual([0, 0]);
  });

  it('cuts what is open on both sides, and serves what comes after', async () => {
    const [one, other] = [await talking(), await talking()];
    expect(proxy.cut()).toBe(2);
    await expect.poll(() => [one.fate(), other.fate()]).toEqual(['ECONNRESET', 'ECONNRESET']);
    await expect.poll(() => echo.connections()).toBe(0);
    await talking('again');
  });

  it('cuts one of several', async () => {
    const [first, second] = [await talking(), await talking()];
    expect(proxy.cutOne(0.9)).toBe(1);
    await expect.poll(() => second.fate()).toBe('ECONNRESET');
    first.say('!');
    await expect.poll(() => first.heard()).toBe('hello!');
  });

  it('refuses for as long as it is told to', async () => {
    const before = await talking();
    const accept = proxy.refuse();
    await expect.poll(() => before.fate()).toBe('ECONNRESET');
    const refused = client();
    await expect.poll(() => refused.fate()).toBe('ECONNRESET');
    accept();
    await talking('again');
  });

  it('swallows one direction; the connections that lost something are cut in the end, others are not', async () => {
    const [sender, silent] = [await talking(), await talking()];
    const restore = proxy.swallow('toServer');
    sender.say(' lost');
    await expect.poll(() => proxy.swallowedBytes).toBe(5);
    restore();
    await expect.poll(() => sender.fate()).toBe('ECONNRESET');
    expect(echo.heard()).toBe('hellohello');
    silent.say('!');
    await expect.poll(() => silent.heard()).toBe('hello!');
  });

  it('leaves what is open half-open, not even an end is heard, and serves what comes after', async () => {
    const [one, other] = [await talking(), await talking()];
    expect(proxy.silence()).toBe(2);
    one.say(' lost');
    other.socket.destroy();
    const after = await talking('again');
    expect(echo.heard()).toBe('hellohelloagain');
    expect([one.heard(), one.fate()]).toEqual(['hello', undefined]);
    expect(echo.connections()).toBe(3);
    after.say('!');
    await expect.poll(() => after.heard()).toBe('again!');
  });

  it('delays, and keeps the order when the delay ends', async () => {
    const one = await talking('');
    const hurry = proxy.delay(60);
    const sentAt = performance.now();
    one.say('late ');
    await expect.poll(() => echo.heard(), { interval: 1 }).toBe('late ');
    expect(performance.now() - sentAt).toBeGreaterThanOrEqual(60);
    hurry();
    one.say('in time');
    await expect.poll(() => one.heard()).toBe('late in time');
  });

  it('stops a connection before the marker, the others go on', async () => {
    const [one, other] = [await talking(), await talking()];
    const stopped = proxy.stopAt('toServer', 'SECRET');
    one.say('a SEC');
    await expect.poll(() => echo.heard()).toContain('a SEC');
    one.say('RET b');
    const link = await stopped;
    one.say('after');
    other.say(' SECRET');
    // The trap was for one connection.
    await expect.poll(() => other.heard()).toBe('hello SECRET');
    expect(one.heard()).toBe('helloa SEC');
    expect(one.fate()).toBeUndefined();
    expect(echo.heard()).not.toContain('after');
    link.cut();
    await expect.poll(() => one.fate()).toBe('ECONNRESET');
  });

  it('passes on what a stopped connection held back, when it is released', async () => {
    const one = await talking();
    const stopped = proxy.stopAt('toServer', 'b');
    one.say('ab');
    const link = await stopped;
    one.say('c');
    await link.release();
    one.say('d');
    await expect.poll(() => one.heard()).toBe('helloabcd');
  });

  it('stops an answer while its request has arrived', async () => {
    const stopped = proxy.stopAt('toClient', 'question');
    const one = client();
    one.say('question');
    await stopped;
    expect(echo.heard()).toBe('question');
    expect(one.heard()).toBe('');
  });

  it('lets go of the server when the client of a stopped connection dies', async () => {
    const one = await talking();
    const stopped = proxy.stopAt('toServer', 'x');
    one.say('x');
    await stopped;
    one.socket.destroy();
    await expect.poll(() => echo.connections()).toBe(0);
  });
});
