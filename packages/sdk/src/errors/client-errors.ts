import type { Applied, Classification, ErrorClass, ErrorCode } from './classification.js';

/** Names by which AWS says "slow down", partly with status 400; the list of its own SDK. */
const AWS_THROTTLING: ReadonlySet<string> = new Set([
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);

/** First words of Redis replies that refuse a command for now. */
const REDIS_REFUSALS: ReadonlySet<string> = new Set([
  'BUSY',
  'CLUSTERDOWN',
  'LOADING',
  'MASTERDOWN',
  'NOREPLICAS',
  'OOM',
  'READONLY',
  'TRYAGAIN',
]);

/** An error of the AWS SDK that asks to slow down; its other errors are told by their HTTP status. */
export function classifyAws(name: unknown, metadata: unknown): Omit<Classification, 'reason'> | undefined {
  if (metadata === undefined || typeof name !== 'string' || !AWS_THROTTLING.has(name)) return undefined;
  return of('throttled', 'throttled', 'no');
}

/** Errors of ioredis and node-redis. */
export function classifyRedis(name: unknown, message: unknown): Omit<Classification, 'reason'> | undefined {
  // The command was queued through several reconnects: it may have been sent on any of them.
  if (name === 'MaxRetriesPerRequestError') return of('retryable', 'connection_lost', 'unknown');
  if (name !== 'ReplyError' || typeof message !== 'string') return undefined;
  const [word = ''] = message.split(' ', 1);
  return REDIS_REFUSALS.has(word) ? of('retryable', 'remote_unavailable', 'no') : undefined;
}

function of(errorClass: ErrorClass, code: ErrorCode, applied: Applied): Omit<Classification, 'reason'> {
  return { class: errorClass, code, applied };
}
