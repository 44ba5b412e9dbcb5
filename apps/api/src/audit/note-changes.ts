import type { ChangeFeed } from '@fairlane/queue';
import type { Audit } from './audit-log.js';

/** An audit whose actions are told to the readers of events too, in every replica. */
export function withNotes(audit: Audit, changes: ChangeFeed): Audit {
  return (entry) => {
    audit(entry);
    const { account, operation } = entry.target;
    if (account !== undefined) void changes.note({ kind: 'account', id: account });
    if (operation !== undefined) void changes.note({ kind: 'operation', id: operation });
  };
}
