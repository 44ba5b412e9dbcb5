export { useRedis, type RedisInTests } from './use-redis.js';
