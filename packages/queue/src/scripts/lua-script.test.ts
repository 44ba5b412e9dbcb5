import { laneScript } from '@fairlane/lanes';
import { describe, expect, it } from 'vitest';
import { queueScripts, wrappedArgs } from './commands.js';
import { readLua, wrapScript } from './lua-script.js';

describe('wrapScript', () => {
  it("puts the wrapper's keys behind the inner script's, whose text it does not change", () => {
    const inner = { content: 'return KEYS[2] -- ends in a comment', keys: 2 };
    const wrapped = wrapScript(inner, { keyCount: 3, argCount: 1, lua: 'return inner(KEYS, ARGV)' });
    expect(wrapped.keys).toBe(5);
    expect(wrapped.content).toContain(`${inner.content}\nend`);
  });
});

describe('wrappedArgs', () => {
  it("leaves what the lanes have put last in its place, where BullMQ's command adds a job", () => {
    const { numberOfKeys } = laneScript('addDelayedJob');
    const keys = Array.from({ length: numberOfKeys }, (_value, at) => `key ${at + 1}`);
    const lanes = ['lane', 'extra', 'prefix', 'time'];
    const args = wrappedArgs('submit:addDelayedJob', [...keys, 'a', 'b', 'c', ...lanes], ['bucket'], [1, 2]);
    const own = keys.at(-1);
    expect(args).toEqual([...keys.slice(0, -1), 'bucket', own, 'a', 'b', 'c', 1, 2, ...lanes]);
  });

  it('appends to the arguments of every other command', () => {
    const keys = ['hash', 'repeat'];
    const args = wrappedArgs('remove:removeJob', [...keys, 'a', 'b', 'c'], ['bucket'], ['x']);
    expect(args).toEqual([...keys, 'bucket', 'a', 'b', 'c', 'x']);
  });
});

describe('queueScripts', () => {
  it('takes one key more for each of its own', () => {
    const scripts = queueScripts();
    const more = (name: string, bull: string) =>
      (scripts.get(name)?.numberOfKeys ?? 0) - laneScript(bull).numberOfKeys;
    expect(more('submit:addStandardJob', 'addStandardJob')).toBe(1);
    expect(more('remove:removeJob', 'removeJob')).toBe(1);
    expect(more('defer:moveJobFromActiveToWait', 'moveJobFromActiveToWait')).toBe(0);
    expect(scripts.get('moveToFinished')).toBe(laneScript('moveToFinished'));
  });
});

describe('readLua', () => {
  it('puts every include in', () => {
    expect(readLua('submit')).not.toContain('@include');
    expect(readLua('submit')).toContain('local function jobState');
  });
});
