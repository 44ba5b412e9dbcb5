import { SingleBar } from 'cli-progress';

export interface Progress {
  update(state: { enqueued: number; finished: number; applied: number }): void;
  stop(): void;
}

const LINE_EVERY_MS = 5_000;

/** A bar on a terminal, a line every few seconds elsewhere; both on stderr, so that stdout has the summary. */
export function createProgress(total: number, stream: NodeJS.WriteStream = process.stderr): Progress {
  return stream.isTTY ? createBar(total, stream) : createLines(total, stream);
}

function createBar(total: number, stream: NodeJS.WriteStream): Progress {
  const bar = new SingleBar({
    format:
      '{bar} {percentage}% | {value}/{total} jobs ended | {enqueued} enqueued | {applied} messages sent',
    stream,
    hideCursor: true,
    clearOnComplete: true,
    // Ctrl-C has one meaning here, and it is decided elsewhere.
    gracefulExit: false,
    barsize: 28,
  });
  bar.start(total, 0, { enqueued: 0, applied: 0 });
  return {
    update: ({ finished, ...rest }) => bar.update(finished, rest),
    stop: () => bar.stop(),
  };
}

function createLines(total: number, stream: NodeJS.WriteStream): Progress {
  let lastMs = performance.now();
  return {
    update({ enqueued, finished, applied }) {
      if (performance.now() - lastMs < LINE_EVERY_MS) return;
      lastMs = performance.now();
      stream.write(`${finished} of ${total} jobs ended, ${enqueued} enqueued, ${applied} messages sent\n`);
    },
    stop: () => undefined,
  };
}
