import type { Logger, Principal } from '@fairlane/runtime';

/** One action of a person or program with rights over others' work. */
export interface AuditEntry {
  readonly principal: Principal;
  readonly requestId: string;
  /** Such as `set_limits`. */
  readonly action: string;
  readonly target: Readonly<Record<string, string>>;
  readonly before: unknown;
  readonly after: unknown;
}

export type Audit = (entry: AuditEntry) => void;

/**
 * Who did what to what, with the values before and after: lines of the log with `"audit":true`, written whatever
 * the log level. Values are settings, never payloads.
 */
export function createAudit(logger: Logger): Audit {
  const audit = logger.child({ audit: true }, { level: 'info' });
  return ({ principal, requestId, action, target, before, after }) => {
    audit.info(
      { who: principal.id, role: principal.role, action, target, before, after, requestId },
      'audit',
    );
  };
}
