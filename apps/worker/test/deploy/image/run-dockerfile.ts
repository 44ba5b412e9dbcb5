import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, statSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** One stage of the build: what the file says, on folders below `root` instead of a file system of its own. */
interface Stage {
  root: string;
  cwd: string;
  env: Record<string, string>;
}

interface RunOptions {
  /** A copy of the repository as the build would be sent it. */
  context: string;
  folder: string;
  /** Lines that want an image of their own, such as its users. */
  skip: (line: string) => boolean;
}

/**
 * Does what a Dockerfile says without an engine: COPY and RUN line by line, absolute paths moved below a folder of the
 * stage. It knows what ours uses and refuses anything else.
 *
 * @returns the root folder of the last stage
 */
export async function runDockerfile(text: string, { context, folder, skip }: RunOptions): Promise<string> {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const line of linesOf(text)) {
    if (skip(line)) continue;
    const [, keyword = '', rest = ''] = /^(\w+)\s+(.*)$/s.exec(line) ?? [];
    if (keyword === 'FROM') {
      const [, base = '', name = 'last'] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(rest) ?? [];
      stage = begin(join(folder, name), stages.get(base));
      stages.set(name, stage);
      continue;
    }
    if (stage === undefined) throw new Error(`before the first stage: ${line}`);
    if (keyword === 'ENV') {
      for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) stage.env[name] = value;
    } else if (keyword === 'WORKDIR') {
      stage.cwd = rest;
      mkdirSync(join(stage.root, rest), { recursive: true });
    } else if (keyword === 'COPY') {
      copy(rest, stage, stages, context);
    } else if (keyword === 'RUN') {
      await runLine(rest, stage);
    } else throw new Error(`a line that is not known here: ${line}`);
  }
  if (stage === undefined) throw new Error('no stage');
  return stage.root;
}

/** Lines without comments, those that go on joined. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '');
}

function begin(root: string, base: Stage | undefined): Stage {
  mkdirSync(root, { recursive: true });
  if (base !== undefined) cpSync(base.root, root, { recursive: true, verbatimSymlinks: true });
  return { root, cwd: base?.cwd ?? '/', env: { ...base?.env } };
}

function copy(rest: string, stage: Stage, stages: Map<string, Stage>, context: string): void {
  const [, from, paths = ''] = /^(?:--from=(\S+)\s+)?(.*)$/.exec(rest) ?? [];
  const words = paths.split(/\s+/);
  const target = words.pop() ?? '';
  const sourceRoot = from === undefined ? context : stages.get(from)?.root;
  if (sourceRoot === undefined) throw new Error(`COPY from an unknown stage: ${rest}`);
  for (const word of words) {
    const source = join(sourceRoot, word);
    const place = join(stage.root, posix.resolve(stage.cwd, target));
    // As an engine does: a folder's contents, a file into a folder that ends with a slash.
    const isFile = statSync(source).isFile();
    cpSync(source, isFile && target.endsWith('/') ? join(place, basename(word)) : place, {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

async function runLine(command: string, { root, cwd, env }: Stage): Promise<void> {
  // The machine's own settings for its network; nothing of the test runner's.
  const { PATH = '', NODE_ENV: _mode, NODE_OPTIONS: _options, ...machine } = process.env;
  // What `npm install --global` puts into the image is put into the stage, and found there first.
  const tools = join(root, 'tools');
  const moved = command.replaceAll(/(?<=[\s"])\/app\b/g, join(root, 'app'));
  await run('sh', ['-c', moved], {
    cwd: join(root, cwd),
    env: { ...machine, ...env, PATH: `${join(tools, 'bin')}:${PATH}`, NPM_CONFIG_PREFIX: tools },
    maxBuffer: 64 * 1024 * 1024,
  });
}
