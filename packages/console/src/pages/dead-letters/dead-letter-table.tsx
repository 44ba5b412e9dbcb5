import { isOperator } from '../../api/session.js';
import type { DeadLetter } from '../../api/types.js';
import { codeWord } from '../../format/words.js';
import { AccountLink } from '../../parts/account-link.js';
import { JobName } from '../../parts/job-name.js';
import { TableBox } from '../../parts/table.js';
import { Ago } from '../../parts/time.js';

interface DeadLetterTableProps {
  rows: DeadLetter[];
  selected: ReadonlySet<string>;
  select: (ids: ReadonlySet<string>) => void;
}

export function DeadLetterTable({ rows, selected, select }: DeadLetterTableProps) {
  const toggle = (id: string) => {
    const ids = new Set(selected);
    if (!ids.delete(id)) ids.add(id);
    select(ids);
  };
  // Those of other producers cannot be replayed or removed here.
  const ids = rows.filter(({ readOnly }) => readOnly !== true).map(({ id }) => id);
  const isAll = selected.size > 0 && ids.every((id) => selected.has(id));
  return (
    <TableBox label="Dead letters">
      <thead>
        <tr>
          {isOperator && (
            <th scope="col">
              <input
                type="checkbox"
                aria-label="Select this page"
                checked={isAll}
                disabled={ids.length === 0}
                onChange={() => select(isAll ? new Set() : new Set(ids))}
              />
            </th>
          )}
          <th scope="col">Died</th>
          <th scope="col">Reason</th>
          <th scope="col">Job</th>
          <th scope="col">Account</th>
          <th scope="col" className="number">
            Attempts
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} className={selected.has(row.id) ? 'selected' : ''}>
            {isOperator && (
              <td>
                {row.readOnly !== true && (
                  <input
                    type="checkbox"
                    aria-label={`Select ${row.id}`}
                    checked={selected.has(row.id)}
                    onChange={() => toggle(row.id)}
                  />
                )}
              </td>
            )}
            <td>
              <Ago at={row.finishedAt} />
            </td>
            <td className="reason">
              <b>{codeWord(row.code)}</b>
              {row.status !== undefined && ` (${row.status})`} <span>{row.reason}</span>
            </td>
            <th scope="row">
              <JobName job={row} />
              {row.tag !== undefined && <span className="tag"> {row.tag}</span>}
            </th>
            <td>
              <AccountLink account={row.account} />
            </td>
            <td className="number">
              {row.attempts.made} / {row.attempts.max}
            </td>
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}
