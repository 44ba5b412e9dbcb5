import closeWithGrace from 'close-with-grace';
import { describeError, type Logger } from './logger.js';

export interface ShutdownOptions {
  logger: Logger;
  /** After this long the process ends by force with exit code 1. */
  deadlineMs: number;
}

export interface Shutdown {
  /** Adds a step. Steps run one after the other, the last added first: what was opened last closes first. */
  add(name: string, close: () => unknown): void;
  /** Ends the process as a first signal would. */
  close(): void;
}

/**
 * SIGTERM or SIGINT runs the steps and exits 0; a second signal exits at once.
 * An uncaught error runs the steps too and exits 1, since the process can no longer be trusted.
 * A step that throws does not keep the others from running; the exit code is 1 then.
 */
export function createShutdown({ logger, deadlineMs }: ShutdownOptions): Shutdown {
  const steps: { name: string; close: () => unknown }[] = [];
  const grace = closeWithGrace(
    {
      delay: deadlineMs,
      logger: false,
      skip: ['beforeExit'],
      onSecondSignal: (signal) => logger.warn({ signal }, 'second signal, exiting at once'),
      onSecondError: (error) => logger.fatal({ err: error }, 'error while shutting down, exiting'),
      onTimeout: (delayMs) => logger.error({ delayMs }, 'shutdown took too long, exiting by force'),
    },
    async ({ err, signal }) => {
      if (err) logger.fatal({ err }, 'uncaught error, shutting down');
      else logger.info({ signal }, 'shutting down');
      const failed: string[] = [];
      for (const { name, close } of steps.toReversed()) {
        try {
          await close();
        } catch (error) {
          failed.push(name);
          logger.error({ step: name, error: describeError(error) }, 'a shutdown step failed');
        }
      }
      if (failed.length > 0) throw new Error(`shutdown steps failed: ${failed.join(', ')}`);
      logger.info('shut down');
    },
  );
  return {
    add: (name, close) => steps.push({ name, close }),
    close: () => grace.close(),
  };
}
