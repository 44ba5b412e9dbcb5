import type { z } from 'zod';
import type { JobContract } from './contract.js';
import { DefinitionError } from '../errors/errors.js';
import { isJobName, isSimpleName } from './names.js';
import { payloadSchema } from '../schema/payload-schema.js';
import { samplePayloads } from '../schema/sample-payload.js';

/** BullMQ's highest priority number. */
const MAX_PRIORITY = 2_097_151;
/** Longest time a contract may name: one beyond it is a mistake of units, not a plan. */
const MAX_MS = 30 * 86_400_000;
const MAX_ATTEMPTS = 10_000;
const MAX_COST = 1_000_000;
/** Longer than a tick of the clock, so that a key made of the time differs. */
const TICK_MS = 2;

/** Refuses a contract that cannot work, with the reason. */
export function checkContract<N extends string, S extends z.ZodType>(contract: JobContract<N, S>): void {
  checkName(contract.name);
  try {
    checkFields(contract);
    checkUpgrades(contract);
    checkSchema(contract.payload);
    checkIdentity(contract);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new DefinitionError(`job ${contract.name}: ${error.message}`, { cause: error.cause });
  }
}

/** Reason inside this file; {@link checkContract} adds the job's name. */
class Refusal extends Error {}

function checkName(name: unknown): void {
  if (isJobName(name)) return;
  throw new DefinitionError(
    `job name ${JSON.stringify(name)} is not of the form area.action: lower-case words joined by dots, at most 64 characters`,
  );
}

function checkFields(contract: JobContract): void {
  const { version, queue, priority, cost, timeoutMs, onConflict, retry } = contract;
  checkWhole('version', version, 1, MAX_ATTEMPTS);
  checkWhole('priority', priority, 0, MAX_PRIORITY);
  checkWhole('cost', cost, 1, MAX_COST);
  checkWhole('timeoutMs', timeoutMs, 1, MAX_MS);
  checkWhole('retry.attempts', retry.attempts, 1, MAX_ATTEMPTS);
  checkWhole('retry.baseMs', retry.baseMs, 1, MAX_MS);
  checkWhole('retry.capMs', retry.capMs, 1, MAX_MS);
  checkWhole('retry.maxRetryAfterMs', retry.maxRetryAfterMs, 0, MAX_MS);
  checkWhole('retry.maxDeferMs', retry.maxDeferMs, 0, MAX_MS);
  if (retry.capMs < retry.baseMs) throw new Refusal('retry.capMs is below retry.baseMs');
  if (onConflict !== 'reject' && onConflict !== 'first')
    throw new Refusal('onConflict must be "reject" or "first"');
  if (queue !== undefined && !isSimpleName(queue))
    throw new Refusal(`queue ${JSON.stringify(queue)} is not a valid name`);
}

function checkWhole(field: string, value: unknown, min: number, max: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return;
  throw new Refusal(`${field} must be a whole number from ${min} to ${max}, not ${String(value)}`);
}

/** Upgrades lead without a gap from the oldest version still readable to the current one. */
function checkUpgrades({ version, upgrades }: JobContract): void {
  const from = Object.keys(upgrades).map(Number);
  const bad = from.find((old) => !Number.isSafeInteger(old) || old < 1 || old >= version);
  if (bad !== undefined)
    throw new Refusal(`upgrades[${bad}]: there is no version ${bad} below version ${version}`);
  if (version === 1) return;
  for (let old = Math.min(version - 1, ...from); old < version; old += 1) {
    if (typeof upgrades[old] !== 'function') {
      throw new Refusal(`upgrades[${old}] is missing: stored payloads of version ${old} could not be read`);
    }
  }
}

function checkSchema(schema: z.ZodType): void {
  if (typeof schema !== 'object' || !('_zod' in schema))
    throw new Refusal('payload must be a schema of zod 4');
  try {
    payloadSchema(schema);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(
      `payload must hold plain JSON values and no transforms, so that it can be stored: ${detail}`,
      { cause },
    );
  }
}

interface Answers {
  readonly account: unknown;
  readonly key: readonly unknown[];
  readonly limitGroup: unknown;
}

/** Tries account, key and limit group on a sample. Where they throw on it, `identify` decides on real payloads. */
function checkIdentity(contract: JobContract): void {
  for (const name of ['account', 'key', 'limitGroup'] as const) {
    if (typeof contract[name] !== 'function') throw new Refusal(`${name} must be a function of the payload`);
  }
  const sample = readSample(contract);
  const first = tryAnswers(contract, sample);
  if (first === undefined) return;
  if (first.account === '') throw new Refusal('account is empty');
  if (first.key.every((part) => part === '')) throw new Refusal('key is empty');
  checkSame(first, tryAnswers(contract, sample));
  sleepSync(TICK_MS);
  checkSame(first, tryAnswers(contract, sample));
}

function readSample(contract: JobContract): unknown {
  const [sample] = samplePayloads(payloadSchema(contract.payload));
  try {
    const parsed = contract.payload.safeParse(sample);
    return parsed.success ? parsed.data : sample;
  } catch {
    return sample;
  }
}

function tryAnswers(contract: JobContract, sample: unknown): Answers | undefined {
  try {
    return {
      account: contract.account(sample),
      key: contract.key(sample),
      limitGroup: contract.limitGroup(sample),
    };
  } catch {
    return undefined;
  }
}

function checkSame(first: Answers, second: Answers | undefined): void {
  for (const name of ['account', 'key', 'limitGroup'] as const) {
    if (sameParts([first[name]].flat(), [second?.[name]].flat())) continue;
    throw new Refusal(`${name} gave two answers for one payload: it must depend on the payload alone`);
  }
}

function sameParts(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((part, index) => Object.is(part, b[index]));
}

/** Blocks; defining a job is synchronous and happens once. Not a busy loop: a test's fake clock may stand still. */
function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
