/** In front of every key; the braces keep all keys on one shard of a cluster. */
export const DEFAULT_PREFIX = '{fairlane}';
/** How long a key stays taken after its run ended. */
export const DEFAULT_RETENTION_MS = 7 * 86_400_000;
