import { useRedis } from '@fairlane/testkit/vitest';
import { describe, expect, it } from 'vitest';
import { bullmqScript } from './bullmq-script.js';
import { composeScripts } from './commands.js';
import { readLua, wrapScript, wrappedArgs, type LuaScript, type ScriptWrapper } from './lua-script.js';

const redis = useRedis();

const inner: LuaScript = {
  name: 'inner',
  numberOfKeys: 2,
  lua: 'local all = { #KEYS, #ARGV, KEYS[1], KEYS[2], ARGV[1] }\nreturn all -- ends in a comment',
};

function wrapper(name: string, keyCount: number, argCount: number): ScriptWrapper {
  const lua = `local reply = inner(KEYS, ARGV)
return { '${name}', outerKeys[1] or 'no key', outerArgs[1] or 'no arg', #outerKeys, #outerArgs, reply }`;
  return { name, keyCount, argCount, lua };
}

async function run({ lua, numberOfKeys }: LuaScript, args: readonly unknown[]): Promise<unknown> {
  return redis.client.eval(lua, numberOfKeys, ...(args as string[]));
}

describe('wrapScript', () => {
  it('gives each script its own keys and arguments, however deep it is wrapped', async () => {
    const first = wrapper('first', 1, 2);
    const second = wrapper('second', 0, 0);
    const third = wrapper('third', 2, 1);
    const once = wrapScript(inner, first);
    const twice = wrapScript(once, second);
    const thrice = wrapScript(twice, third);
    expect(thrice.name).toBe('third:second:first:inner');

    let args = wrappedArgs(inner.numberOfKeys, ['k1', 'k2', 'a1'], ['fk'], ['fa1', 'fa2']);
    args = wrappedArgs(once.numberOfKeys, args, [], []);
    args = wrappedArgs(twice.numberOfKeys, args, ['tk1', 'tk2'], ['ta']);
    expect(await run(thrice, args)).toEqual([
      'third',
      'tk1',
      'ta',
      2,
      1,
      ['second', 'no key', 'no arg', 0, 0, ['first', 'fk', 'fa1', 1, 2, [2, 1, 'k1', 'k2', 'a1']]],
    ]);
  });

  it('holds the text of the installed scripts unchanged', () => {
    for (const [command, { script }] of composeScripts()) {
      expect(script.lua).toContain(bullmqScript(command).lua);
    }
  });

  it('composes around scripts of another backend', () => {
    const composed = composeScripts((name) => ({ name: `lane:${name}`, numberOfKeys: 3, lua: 'return 1' }));
    expect(composed.get('moveToFinished')).toMatchObject({
      innerKeyCount: 3,
      script: { name: 'fairlane:finish:lane:moveToFinished', numberOfKeys: 4 },
    });
  });

  it('says which script the installed BullMQ does not have', () => {
    expect(() => bullmqScript('moveToSomewhere')).toThrow('moveToSomewhere');
  });
});

describe('readLua', () => {
  it('puts every include in', () => {
    expect(readLua('submit')).not.toContain('@include');
    expect(readLua('submit')).toContain('local function jobState');
  });
});
