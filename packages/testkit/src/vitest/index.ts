export { copyRepository, type ProgramEnd, type RepositoryCopy } from './repository-copy.js';
export { useRedis, type RedisInTests } from './use-redis.js';
export { useOutside, type OutsideAnswer, type OutsideCall, type OutsideInTests } from './use-outside.js';
export { temporaryFolder } from './temporary-folder.js';
