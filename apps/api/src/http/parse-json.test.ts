import { describe, expect, it } from 'vitest';
import { MAX_DEPTH, parseJson } from './parse-json.js';

const parse = (text: string) => parseJson(Buffer.from(text));
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('parseJson', () => {
  it.each(['null', '1', '"text"', '{}', '{"a":[{"b":null}]}', '\ufeff{"bom":true}'])('reads %s', (text) => {
    expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text.replace('\ufeff', '')) });
  });

  it('names the place of a syntax error and nothing of the input', () => {
    const result = parse('{"secret": hunter2}');
    expect(result).toEqual({
      ok: false,
      issue: { path: '', message: expect.stringMatching(/^is not valid JSON in UTF-8/) as string },
    });
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });

  it('refuses what is not UTF-8, instead of replacing it', () => {
    expect(parseJson(Buffer.from([0x22, 0xff, 0xfe, 0x22]))).toMatchObject({ ok: false });
  });

  it.each([
    ['{"__proto__":{"admin":true}}', '__proto__'],
    ['{"\\u005f_proto__":1}', '__proto__'],
    ['{"a":[{"__proto__":null}]}', 'a[0].__proto__'],
    ['{"a":{"constructor":{"prototype":{"admin":true}}}}', 'a.constructor'],
  ])('A25 refuses %s and names the path', (text, path) => {
    expect(parse(text)).toEqual({ ok: false, issue: { path, message: 'is not allowed as a key' } });
  });

  it.each([
    '{"name":"__proto__"}',
    '{"constructor":"a company"}',
    '["constructor","prototype"]',
    '{"prototype":1}',
  ])('A25 takes the harmless %s', (text) => {
    expect(parse(text).ok).toBe(true);
  });

  it('A23 refuses deep nesting without overflowing the stack', () => {
    expect(parse(nested(MAX_DEPTH)).ok).toBe(true);
    expect(parse(nested(MAX_DEPTH + 1))).toMatchObject({ ok: false });
    expect(parse(nested(500_000))).toMatchObject({ ok: false });
    expect(parse('{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000))).toMatchObject({ ok: false });
  });
});
