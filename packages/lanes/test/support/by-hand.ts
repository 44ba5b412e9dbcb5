import { Job, type JobJson, type Queue } from 'bullmq';

interface Client {
  del(key: string): Promise<number>;
}

/** A queue, or a worker of it. */
interface Driven {
  readonly name: string;
  getBackend(): { moveStalledJobsToWait(): Promise<string[]> };
}

/** Options of queues whose jobs a test takes and ends itself: jobs stall when the test says so, as often as it likes. */
export function handDriven<Connection>(connection: Connection, prefix: string) {
  return { connection, prefix, lockDuration: 60_000, maxStalledCount: 1_000, stalledInterval: 1 };
}

/** The job of a reply that may hand one out to the holder of this lock token. */
export function jobOf(queue: Queue, token: string, reply: unknown): Job | undefined {
  const [data, id] = (reply ?? []) as [JobJson?, string?];
  if (!data || id === undefined) {
    return undefined;
  }
  const job = Job.fromJSON(queue, data, id);
  job.token = token;
  return job;
}

/** The worker of the job has died. */
export async function loseLock(client: Client, prefix: string, { queueName, id }: Job): Promise<void> {
  await client.del(`${prefix}:${queueName}:${id!}:lock`);
}

/** Jobs without a lock go back into their lanes: two checks in a row have seen them so. Their ids. */
export async function recoverStalled(client: Client, prefix: string, queue: Driven): Promise<string[]> {
  const recovered: string[] = [];
  for (let check = 0; check < 2; check += 1) {
    await client.del(`${prefix}:${queue.name}:stalled-check`);
    recovered.push(...(await queue.getBackend().moveStalledJobsToWait()));
  }
  return recovered;
}
