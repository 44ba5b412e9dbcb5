export { useRedis, type RedisInTests } from './use-redis.js';
export { temporaryFolder } from './temporary-folder.js';
