import { attemptOnce, type CrashAttempt } from './crash-attempt.js';

await attemptOnce(JSON.parse(process.argv[2] ?? '{}') as CrashAttempt);
