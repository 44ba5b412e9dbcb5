import type { Job } from '../../api/types.js';
import { classWord, codeWord } from '../../format/words.js';
import { TableBox } from '../../parts/table.js';
import { Moment } from '../../parts/time.js';

/** Attempts that failed, the latest first. One that succeeds ends the job and stands in the timeline. */
export function Attempts({ job: { failures = [] } }: { job: Job }) {
  if (failures.length === 0) return null;
  return (
    <section aria-labelledby="attempts">
      <h2 id="attempts">Failed attempts</h2>
      <p className="hint">The latest first, ten at most.</p>
      <TableBox label="Failed attempts">
        <thead>
          <tr>
            <th scope="col" className="number">
              Attempt
            </th>
            <th scope="col">Ended</th>
            <th scope="col">Reason</th>
            <th scope="col">Kind</th>
            <th scope="col">Worker</th>
          </tr>
        </thead>
        <tbody>
          {failures.map(({ attempt, at, code, class: kind, message, status, worker }) => (
            <tr key={`${attempt} ${at}`}>
              <th scope="row" className="number">
                {attempt}
              </th>
              <td>
                <Moment at={at} />
              </td>
              <td className="reason">
                <b>{codeWord(code)}</b>
                {status !== undefined && ` (${status})`} <span>{message}</span>
              </td>
              <td>{classWord(kind)}</td>
              <td className="id">{worker ?? '-'}</td>
            </tr>
          ))}
        </tbody>
      </TableBox>
    </section>
  );
}
