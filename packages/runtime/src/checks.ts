/** Answers undefined when all is well, else a reason that may be shown to anyone. */
export type Check = () => Promise<string | undefined> | string | undefined;
export type Checks = Record<string, Check>;

export interface CheckReport {
  ok: boolean;
  checks: Record<string, string>;
}

const checkTimeoutMs = 2_000;

/** Runs all checks at once. One that throws or does not answer within two seconds has failed. */
export async function runChecks(checks: Checks, timeoutMs = checkTimeoutMs): Promise<CheckReport> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await runCheck(check, timeoutMs)] as const),
  );
  return {
    ok: results.every(([, reason]) => reason === undefined),
    checks: Object.fromEntries(results.map(([name, reason]) => [name, reason ?? 'ok'])),
  };
}

async function runCheck(check: Check, timeoutMs: number): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${timeoutMs} ms`), timeoutMs);
  });
  try {
    return await Promise.race([check(), late]);
  } catch {
    return 'check failed';
  } finally {
    clearTimeout(timer);
  }
}
