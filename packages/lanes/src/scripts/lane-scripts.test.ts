import { describe, expect, it } from 'vitest';
import {
  EMBEDDED_SCRIPTS,
  highestArgument,
  installedBullmqVersion,
  installedScripts,
  SUPPORTED_BULLMQ,
} from './bull-scripts.js';
import { laneScript, laneScripts } from './lane-scripts.js';

const installed = installedScripts();

describe('the installed BullMQ', () => {
  it('is a version the tests have run with', () => {
    expect(installedBullmqVersion()).toMatch(SUPPORTED_BULLMQ);
  });

  it.each(Object.entries(EMBEDDED_SCRIPTS))('%s takes the keys and arguments expected', (name, expected) => {
    const script = installed.get(name)!;
    const argv = expected.argv === null ? null : highestArgument(script.content);
    expect({ keys: script.keys, argv }).toEqual({ keys: expected.keys, argv: expected.argv });
  });

  it.each(Object.entries(EMBEDDED_SCRIPTS).filter(([, { names }]) => names))(
    '%s has its keys where they are expected',
    (name, { names }) => {
      const header = installed.get(name)!.content.split(']]')[0];
      const routed = ['wait', 'active', 'prioritized', 'delayed', 'meta', 'marker'];
      const misplaced = names!.filter(
        (key, index) =>
          routed.includes(key) && !new RegExp(`KEYS\\[${index + 1}\\]\\s+'?${key}`).test(header!),
      );
      expect(misplaced).toEqual([]);
    },
  );

  it('has no other script that touches waiting or active jobs', () => {
    const touching = [...installed.values()]
      .filter(
        ({ name, content }) =>
          !name.startsWith('relay') &&
          /wait|active|prioritized/i.test(content.replaceAll(/--.*|--\[\[[\s\S]*?\]\]/g, '')),
      )
      .map(({ name }) => name);
    // isMaxed counts the active list; isJobInList is for servers older than any supported here;
    // extendLocks and the others below name a state in a comment or a variable only.
    const harmless = ['isMaxed', 'isJobInList', 'isFinished', 'paginate'];
    expect(touching.filter((name) => !(name in EMBEDDED_SCRIPTS) && !harmless.includes(name))).toEqual([]);
  });
});

describe('composed scripts', () => {
  it("hold BullMQ's text unchanged but for the functions that its commands call", () => {
    for (const [name, { lua }] of laneScripts()) {
      const bound = lua.slice(lua.indexOf('local function bull(redis)'));
      const text = bound
        .replaceAll(/\b(?:on_([A-Z]+)|call)\((["'])([A-Z]+)\2/g, 'rcall($2$3$2')
        .replace('return function(KEYS, ARGV)\n', '');
      expect(text).toContain(installed.get(name)!.content);
    }
  });

  it('take one key more', () => {
    expect(laneScript('moveToFinished').numberOfKeys).toBe(15);
  });

  it('refuse a command that lanes do not run', () => {
    expect(() => laneScript('addLog')).toThrow(expect.objectContaining({ code: 'unknown_command' }));
  });
});
