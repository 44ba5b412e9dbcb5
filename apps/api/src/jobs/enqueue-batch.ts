import type { z } from 'zod';
import { Patience, type EnqueueResult } from '@fairlane/queue';
import type { JobContract } from '@fairlane/sdk';
import { toProblem } from '../http/error-handler.js';
import { parseJson } from '../http/parse-json.js';
import { describeIssues, PROBLEMS, type Issue, type ProblemCode } from '../http/problems.js';
import { refuseEncoding } from '../http/read-body.js';
import type { Call, Reply } from '../http/route.js';
import { BATCH_FULL_WAIT_MS, BATCH_WINDOW, MAX_LINE_BYTES } from '../limits.js';
import { mapInOrder } from '../ndjson/map-in-order.js';
import { splitLines, type Line } from '../ndjson/split-lines.js';
import type { EnqueueOutcome } from './enqueue-counter.js';
import { contractOf } from './contract-of.js';
import { isForeign } from './is-foreign.js';
import type { batchLine, jobNameParams } from './schemas.js';

type BatchCall = Call<z.output<typeof jobNameParams>>;
type BatchLine = z.output<typeof batchLine>;

/**
 * `POST /v1/jobs/{name}/batch`: a line in, a line out, in order, while the upload still runs. Memory is
 * bounded by the chunks at work, whatever the length. While a queue is full the upload is read no further, so that a
 * batch goes in as fast as the queue drains; what nothing makes room for is rejected with `queue_full`, to be sent
 * again later. A client that sends the same batch again after a
 * broken connection gets duplicates for what was accepted.
 */
export async function enqueueBatch(call: BatchCall): Promise<Reply> {
  const contract = contractOf(call.app, call.params.name);
  refuseEncoding(call.request);
  // While Redis is away one 503 at once says more than a refusal a line; this throws it.
  await call.app.producer.queueCounts(Object.keys(call.app.catalogue.queues.definitions)[0] ?? '');
  return { status: 200, type: 'application/x-ndjson', stream: answers(call, contract) };
}

async function* answers(call: BatchCall, contract: JobContract): AsyncGenerator<string> {
  const summary = { accepted: 0, duplicates: 0, rejected: 0 };
  const counted = { accepted: 'accepted', duplicate: 'duplicates', rejected: 'rejected' } as const;
  const gone = new AbortController();
  const leave = () => gone.abort();
  const { socket } = call.request;
  socket.once('close', leave);
  try {
    const patience = new Patience({ waitMs: BATCH_FULL_WAIT_MS, signal: gone.signal });
    const groups = splitLines(call.request, MAX_LINE_BYTES);
    const answered = mapInOrder(groups, BATCH_WINDOW, (group) =>
      enqueueLines(call, contract, group, patience),
    );
    for await (const lines of answered) {
      for (const { status } of lines) summary[counted[status]] += 1;
      yield lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    }
    yield `${JSON.stringify({ summary })}\n`;
  } finally {
    socket.off('close', leave);
  }
}

/** Never throws: whatever is wrong costs the lines it is wrong with. */
async function enqueueLines(
  call: BatchCall,
  contract: JobContract,
  lines: readonly Line[],
  patience: Patience,
): Promise<BatchLine[]> {
  const answered: BatchLine[] = [];
  const payloads: { readonly line: number; readonly index: number; readonly payload: unknown }[] = [];
  for (const [index, line] of lines.entries()) {
    const read = readLine(call, contract, line);
    if ('payload' in read) payloads.push({ line: line.number, index, payload: read.payload });
    else answered[index] = read;
  }
  let next = 0;
  try {
    for await (const result of call.app.batchProducer.enqueueMany(
      contract,
      payloads.map(({ payload }) => payload),
      { patience },
    )) {
      const { line, index, payload } = payloads[next] as (typeof payloads)[number];
      answered[index] = describeResult(line, result);
      call.app.countEnqueued(contract, payload, outcomeOf(result));
      next += 1;
    }
  } catch (error) {
    const { code } = toProblem(error);
    if (code === 'internal_error') call.app.logger.error({ err: error }, 'lines of a batch failed');
    for (const { line, index, payload } of payloads.slice(next)) {
      answered[index] = reject(line, code);
      call.app.countEnqueued(contract, payload, 'unavailable');
    }
  }
  return answered;
}

function readLine(
  call: BatchCall,
  contract: JobContract,
  { number, bytes }: Line,
): BatchLine | { payload: unknown } {
  if (bytes === undefined) {
    return reject(number, 'payload_too_large', `The limit of a line is ${MAX_LINE_BYTES} bytes.`);
  }
  const parsed = parseJson(bytes);
  if (!parsed.ok) return rejectPayload(number, 'invalid_payload', [parsed.issue]);
  if (isForeign(call.principal, contract, parsed.value)) return reject(number, 'account_forbidden');
  return { payload: parsed.value };
}

function outcomeOf(result: EnqueueResult): EnqueueOutcome {
  return result.outcome === 'refused' && result.code === 'unavailable' ? 'unavailable' : result.outcome;
}

function describeResult(line: number, result: EnqueueResult): BatchLine {
  if (result.outcome === 'conflict') return { ...reject(line, 'key_conflict'), id: result.id };
  if (result.outcome === 'refused') {
    return result.issues.length === 0
      ? reject(line, result.code)
      : rejectPayload(line, result.code, result.issues);
  }
  return { line, status: result.outcome, id: result.id };
}

function rejectPayload(line: number, code: ProblemCode, issues: readonly Issue[]): BatchLine {
  return { ...reject(line, code, describeIssues(issues)), issues: [...issues] };
}

function reject(line: number, code: ProblemCode, detail: string = PROBLEMS[code].title): BatchLine {
  return { line, status: 'rejected', code, detail };
}
