/** The child's end of the pipe to the process that measures (`src/measure/child.ts`). */

/** What to do, as the parent wrote it; it is of the same build, so its form is not checked. */
export function assignment(): { port: number; spec: unknown } {
  const [port, spec] = process.argv.slice(2);
  if (port === undefined || spec === undefined) throw new Error('expected a port and a specification');
  return { port: Number(port), spec: JSON.parse(spec) };
}

/** Resolves when the message is on its way: a process that exits earlier loses a long one. */
export async function tell(message: unknown): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    if (process.send === undefined) throw new Error('this program is started by the benchmarks only');
    process.send(message, undefined, undefined, (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

// Listening from the start: the parent may answer before the program gets to wait for it.
const received = new Set<unknown>();
let wake = (): void => undefined;
process.on('message', (message) => {
  received.add(message);
  wake();
});

/** Resolves once the parent has sent that message; one message is waited for at a time. */
export async function told(what: 'go' | 'stop'): Promise<void> {
  while (!received.has(what)) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

/** Ends even where a system under test leaves a timer or a socket behind. */
export function leave(): void {
  process.disconnect();
  process.exit(0);
}
