import type { Lane } from '../../api/types.js';
import { formatCount } from '../../format/numbers.js';
import { TableBox } from '../../parts/table.js';
import { Age } from '../../parts/time.js';

export function Lanes({ lanes, readAt }: { lanes: Lane[]; readAt: number }) {
  if (lanes.length === 0) return null;
  return (
    <section aria-labelledby="lanes">
      <h2 id="lanes">Lanes</h2>
      <TableBox label="Lanes">
        <thead>
          <tr>
            <th scope="col">Queue</th>
            <th scope="col">Limit group</th>
            <th scope="col" className="number">
              Ready
            </th>
            <th scope="col" className="number">
              Held
            </th>
            <th scope="col" className="number">
              Oldest eligible
            </th>
          </tr>
        </thead>
        <tbody>
          {lanes.map(({ queue, group, ready, held, oldestEligibleAgeMs }) => (
            <tr key={`${queue} ${group}`}>
              <th scope="row">{queue}</th>
              <td>{group}</td>
              <td className="number">{formatCount(ready)}</td>
              <td className="number">{formatCount(held)}</td>
              <td className="number">
                <Age ms={oldestEligibleAgeMs} readAt={readAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </TableBox>
    </section>
  );
}
