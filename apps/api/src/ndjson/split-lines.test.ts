import { bytesKept } from '@fairlane/testkit/vitest';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitLines } from './split-lines.js';

async function* stream(chunks: Iterable<string | Buffer>): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk as string);
}

async function split(chunks: Iterable<string | Buffer>, maxBytes = 100) {
  const lines: [number, string | undefined][] = [];
  for await (const group of splitLines(stream(chunks), maxBytes)) {
    lines.push(
      ...group.map(({ number, bytes }): [number, string | undefined] => [number, bytes?.toString()]),
    );
  }
  return lines;
}

describe('splitLines', () => {
  it('cuts at line ends of both kinds, with or without one at the end', async () => {
    const expected = [
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ];
    expect(await split(['a\nb\r\nc'])).toEqual(expected);
    expect(await split(['a\r\nb\nc\r\n'])).toEqual(expected);
    expect(await split(['a\nb\r', '\nc'])).toEqual(expected);
  });

  it('leaves out empty lines but counts them', async () => {
    expect(await split(['\n\na\n\r\nb\n\n'])).toEqual([
      [3, 'a'],
      [5, 'b'],
    ]);
    expect(await split([])).toEqual([]);
  });

  it('gives a line that is too long without its bytes, and the next one whole', async () => {
    const fits = 'x'.repeat(100);
    expect(await split([`${fits}\n${fits}x\n${fits}\r\nend`])).toEqual([
      [1, fits],
      [2, undefined],
      [3, fits],
      [4, 'end'],
    ]);
    expect(await split(['x'.repeat(101)])).toEqual([[1, undefined]]);
  });

  it('keeps no more of a long line than the limit while it arrives', async () => {
    const before = await bytesKept();
    let kept = Infinity;
    async function* longLine(): AsyncGenerator<Buffer> {
      for (let chunk = 0; chunk < 100; chunk += 1) yield Buffer.alloc(1024 * 1024, 'x');
      kept = (await bytesKept()) - before;
    }
    for await (const [line] of splitLines(longLine(), 2 * 1024 * 1024)) expect(line?.bytes).toBeUndefined();
    expect(kept).toBeLessThan(4 * 1024 * 1024);
  });

  it('gives the same lines however the bytes are cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\n', '\r', '\r\n'), maxLength: 60 }),
        fc.array(fc.nat(20), { maxLength: 20 }),
        async (text, cuts) => {
          const bytes = Buffer.from(text);
          const chunks: Buffer[] = [];
          let start = 0;
          for (const cut of cuts) {
            chunks.push(bytes.subarray(start, start + cut));
            start += cut;
          }
          chunks.push(bytes.subarray(start));
          expect(await split(chunks, 8)).toEqual(await split([bytes], 8));
        },
      ),
    );
  });
});
