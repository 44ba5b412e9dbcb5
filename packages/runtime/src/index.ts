export { BOARD_ROLES, createUserVerifier, type BoardRole, type BoardUser } from './board-users.js';
export { runChecks, type Check, type CheckReport, type Checks } from './checks.js';
export {
  EnvironmentError,
  parseEnv,
  readEnv,
  type Environment,
  type EnvironmentCheck,
  type EnvironmentIssue,
  type EnvironmentShape,
} from './environment.js';
export { createHealthServer, type HealthServer, type HealthServerOptions } from './health-server.js';
export { listen, type ListenOptions } from './listen.js';
export { createLogger, describeError, type Logger, type LoggerOptions } from './logger.js';
export { Counter, createMetrics, Gauge, Histogram, METRIC_PREFIX, Registry } from './metrics.js';
export { hashPassword, verifyPassword } from './passwords.js';
export { connectRedis, isRedisUnavailable } from './redis-connection.js';
export { redisUrl, type RedisLocation, type SentinelSettings } from './redis-url.js';
export { assertRedisSafe, findRedisDanger, redisCheck, UnsafeRedisError } from './redis-safety.js';
export { retryAfter } from './retry-after.js';
export { createShutdown, type Shutdown, type ShutdownOptions } from './shutdown.js';
export {
  bearerToken,
  createTokenVerifier,
  generateToken,
  hashToken,
  ROLES,
  type BoardApiTokens,
  type Principal,
  type Role,
  type TokenRecord,
} from './tokens.js';
export { jobUrl, variables, type QueueSlots } from './variables.js';
