export { freePort } from './servers/free-port.js';
export {
  startGuard,
  startGuardedProcess,
  type GuardedProcess,
  type GuardedProcessOptions,
} from './servers/guarded-process.js';
export { hasPgBouncer, startPgBouncer, type PgBouncer } from './servers/pgbouncer.js';
export { startPostgres, type PostgresServer, type PostgresServerOptions } from './servers/postgres.js';
export { startRedis, type RedisServer, type RedisServerOptions } from './servers/redis.js';
export { S3_KEYS, startS3, type S3Server } from './servers/s3.js';
export { isAlive, untilGone } from './servers/liveness.js';
export { startFaultProxy, type FaultProxy, type StoppedLink } from './proxy/index.js';
export { hasOpenssl, makeCertificates, type Certificates } from './servers/certificates.js';
export { startSentinel, type Sentinel, type SentinelOptions } from './servers/sentinel.js';
