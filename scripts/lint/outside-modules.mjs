/** Globals of Node that reach outside. */
export const OUTSIDE_GLOBALS = new Set(['fetch', 'WebSocket', 'EventSource']);

/** Modules whose functions and clients reach outside. Add what the handlers of a new job use. */
const OUTSIDE_MODULES = [
  /^(node:)?(http|https|http2|net|tls|dgram|child_process)$/,
  /^(undici|axios|got|ky|node-fetch|superagent|needle|request|phin|@grpc\/.+|graphql-request)$/,
  /^(pg|pg-.+|postgres|mysql2?|mariadb|mongodb|mongoose|kysely|knex|better-sqlite3|@prisma\/client|typeorm)$/,
  /^(ioredis|redis|@redis\/.+|bullmq|amqplib|kafkajs|nats|mqtt)$/,
  /^(@aws-sdk\/.+|aws-sdk|minio|@google-cloud\/.+|@azure\/.+)$/,
  /^(nodemailer|stripe|twilio|@sendgrid\/.+|@slack\/.+|openai|@anthropic-ai\/.+)$/,
];

/** @param {string} specifier what stands behind `from` */
export function isOutsideModule(specifier) {
  const name = specifier.replace(/^((?:@[^/]+\/)?[^/]+)\/.*$/, '$1');
  return OUTSIDE_MODULES.some((modules) => modules.test(specifier) || modules.test(name));
}
