export { copyRepository, type ProgramEnd, type RepositoryCopy } from './repository-copy.js';
export { useRedis, type RedisInTests } from './use-redis.js';
export { useOutside, type OutsideAnswer, type OutsideCall, type OutsideInTests } from './use-outside.js';
export { bytesKept } from './bytes-kept.js';
export { PATIENCE_MS, START_PATIENCE_MS } from './patience.js';
export { startStopwatch, type Stopwatch } from './stopwatch.js';
export { temporaryFolder } from './temporary-folder.js';
export { itKeepsTheOrderOfFolders } from './folder-order.js';
