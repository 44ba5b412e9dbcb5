export { openReadings } from './open-readings.js';
export { createPostgresReadings, type PostgresReadingsOptions } from './postgres-readings.js';
export { MAX_LATEST, type Reading, type Readings } from './readings.js';
export { createRedisReadings, type RedisReadingsOptions } from './redis-readings.js';
