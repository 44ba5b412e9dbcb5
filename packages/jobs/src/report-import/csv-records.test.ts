import { bytesKept } from '@fairlane/testkit/vitest';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvRecords, MAX_RECORD_BYTES, type CsvPosition, type CsvRecord } from './csv-records.js';

const START: CsvPosition = { byte: 0, line: 1 };

async function* chunked(bytes: Uint8Array, sizes: readonly number[] = []): AsyncGenerator<Uint8Array> {
  for (let at = 0, index = 0; at < bytes.byteLength; index += 1) {
    const size = sizes.length === 0 ? bytes.byteLength : (sizes[index % sizes.length] ?? 1);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function read(
  text: string | Uint8Array,
  { sizes, from = START }: { sizes?: readonly number[]; from?: CsvPosition } = {},
): Promise<CsvRecord[]> {
  const bytes = Buffer.from(text as string).subarray(from.byte);
  const records: CsvRecord[] = [];
  for await (const record of csvRecords(chunked(bytes, sizes), from)) records.push(record);
  return records;
}

/** Fields, or the line and what is wrong with it. */
function shown(records: readonly CsvRecord[]): unknown[] {
  return records.map(({ line, fields, problem }) => fields ?? `${line}: ${problem ?? ''}`);
}

const UNCLOSED = 'a quote is opened and never closed';

describe('the records of a CSV file', () => {
  it.each<[string, string, string[][]]>([
    [
      'plain ones',
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['a last one without a line break', 'a\nb', [['a'], ['b']]],
    [
      'line breaks of Windows',
      'a,b\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'empty fields',
      ',\n,,\n',
      [
        ['', ''],
        ['', '', ''],
      ],
    ],
    ['no empty lines', '\n\na\n\r\n\nb\n\n', [['a'], ['b']]],
    [
      'quoted commas, quotes and line breaks',
      '"a,b","c""d"\n"e\r\nf",""\n',
      [
        ['a,b', 'c"d'],
        ['e\r\nf', ''],
      ],
    ],
    ['a byte order mark at the start alone', '\uFEFFa,b\n\uFEFFc\n', [['a', 'b'], ['\uFEFFc']]],
    ['a quoted field behind a byte order mark', '\uFEFF"a",b\n', [['a', 'b']]],
    ['text beyond ASCII', 'größe,🎉\n', [['größe', '🎉']]],
    ['nothing', '', []],
  ])('are %s', async (_what, text, expected) => {
    expect(shown(await read(text))).toEqual(expected);
    expect(shown(await read(text, { sizes: [1] }))).toEqual(expected);
  });

  it.each<[string, string, unknown[]]>([
    ['a quote inside a field', 'a\n5" pipe,x\nb\n', [['a'], `2: ${UNCLOSED}`, ['b']]],
    ['two of them', 'a\n5" pipe,6" pipe\nb\n', [['a'], '2: a quote where none may be', ['b']]],
    ['text behind a quoted field', '"a"b,c\nd\n', ['1: a quote where none may be', ['d']]],
    ['a quote that is never closed', 'a\n"b,c\nd\ne\n', [['a'], `2: ${UNCLOSED}`, ['d'], ['e']]],
    [
      'a quote that a later line seems to close',
      'a\n"b,c\nd,"e\nf\n',
      [['a'], '2: a quote where none may be', `3: ${UNCLOSED}`, ['f']],
    ],
    ['a quote at the very end', 'a\n"', [['a'], `2: ${UNCLOSED}`]],
  ])('stay what they are beside %s', async (_what, text, expected) => {
    expect(shown(await read(text))).toEqual(expected);
    expect(shown(await read(text, { sizes: [1] }))).toEqual(expected);
  });

  it('are not read where they are not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('a\n'), Buffer.from([0xff, 0x2c, 0x0a]), Buffer.from('b\n')]);
    expect(shown(await read(bytes))).toEqual([['a'], '2: not UTF-8', ['b']]);
  });

  it('R14 are not longer than their bound, in one line or in several', async () => {
    const long = 'x'.repeat(MAX_RECORD_BYTES + 1);
    const problem = `2: longer than ${MAX_RECORD_BYTES} bytes`;
    for (const sizes of [[], [1_000], [70_000]]) {
      expect(shown(await read(`a\n${long}\nb\n`, { sizes }))).toEqual([['a'], problem, ['b']]);
      expect(shown(await read(`a\n${long}`, { sizes }))).toEqual([['a'], problem]);
      const lines = 'x\n'.repeat(MAX_RECORD_BYTES / 2);
      const [, second, third] = shown(await read(`a\n"${lines}"\nb\n`, { sizes }));
      expect([second, third]).toEqual([`2: ${UNCLOSED}`, ['x']]);
    }
    expect(shown(await read(`${'x'.repeat(MAX_RECORD_BYTES)}\n`))).toHaveLength(1);
  });

  it('R14 take no more memory than their bound, however long a line is', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const before = await bytesKept();
    let kept = Infinity;
    async function* endless() {
      for (let count = 0; count < 300; count += 1) yield chunk;
      kept = (await bytesKept()) - before;
      yield Buffer.from('\nb\n');
    }
    const records: CsvRecord[] = [];
    for await (const record of csvRecords(endless(), START)) records.push(record);
    expect(kept).toBeLessThan(4 * 1024 * 1024);
    expect(shown(records)).toEqual([`1: longer than ${MAX_RECORD_BYTES} bytes`, ['b']]);
    expect(records[0]?.next).toEqual({ byte: 300 * 1024 * 1024 + 1, line: 2 });
  });
});

const field = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r\n', 'a', ' ', 'ß', '🎉'), maxLength: 8 }),
);
const table = fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

/** CSV as any well-made tool writes it. */
function written(rows: readonly (readonly string[])[], lineBreak: string): string {
  return rows.map((row) => row.map(quoted).join(',') + lineBreak).join('');
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

describe('properties', () => {
  it('what was written well is read as csv-parse reads it, whatever the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(table, sizes, fc.constantFrom('\n', '\r\n'), async (rows, chunks, lineBreak) => {
        const text = written(rows, lineBreak);
        const expected = parse(text, {
          relax_column_count: true,
          skip_empty_lines: true,
          record_delimiter: lineBreak,
          bom: true,
        });
        expect(shown(await read(text, { sizes: chunks }))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('reading on from behind any record gives the rest, of damaged files too', async () => {
    const text = fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r\n', 'a', 'ß'), maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(text, sizes, async (content, chunks) => {
        const records = await read(content);
        for (const [index, { next }] of records.entries()) {
          expect(await read(content, { sizes: chunks, from: next })).toEqual(records.slice(index + 1));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('every line that is not empty is in a record, whatever the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 80 }), sizes, async (bytes, chunks) => {
        const records = await read(bytes, { sizes: chunks });
        const last = records.at(-1)?.next.byte ?? 0;
        expect(Buffer.from(bytes.subarray(last)).toString('latin1')).toMatch(/^(\r?\n)*\r?$/);
        expect(records.map(({ line }) => line)).toEqual([...new Set(records.map(({ line }) => line))]);
      }),
      { numRuns: 300 },
    );
  });
});
