import { useState } from 'react';
import { isOperator } from '../../api/session.js';
import type { Account } from '../../api/types.js';
import { formatCount } from '../../format/numbers.js';
import { describeLimits, reasonWord } from '../../format/words.js';
import { Badge } from '../../parts/badge.js';
import { TableBox } from '../../parts/table.js';
import { Moment } from '../../parts/time.js';
import { useIsLive } from '../../live/use-connection.js';
import { LimitsDialog } from './limits-dialog.js';

/** Where limits are counted. Those that are closed say why and until when. */
export function Gates({ view, zone }: { view: Account; zone: string }) {
  const [edited, setEdited] = useState<string>();
  const isLive = useIsLive();
  // Read anew, so that what stands there as "now" is.
  const editedGate = view.gates.find(({ group }) => group === edited);
  return (
    <section aria-labelledby="gates">
      <h2 id="gates">Gates</h2>
      {view.gates.length === 0 ? (
        <p className="empty">No limit group has counted anything for this account yet.</p>
      ) : (
        <TableBox label="Gates">
          <thead>
            <tr>
              <th scope="col">Limit group</th>
              <th scope="col">State</th>
              <th scope="col">Limits</th>
              <th scope="col" className="number">
                Running now
              </th>
              <th scope="col" className="number">
                Tokens left
              </th>
              <th scope="col">Opens at</th>
              {isOperator && <th scope="col">Change</th>}
            </tr>
          </thead>
          <tbody>
            {view.gates.map((gate) => (
              <tr key={gate.group}>
                <th scope="row">{gate.group}</th>
                <td>
                  {gate.reason === undefined ? (
                    <Badge tone="good" word="open" />
                  ) : (
                    <Badge {...reasonWord(gate.reason)} />
                  )}
                </td>
                <td>{describeLimits(gate.limits)}</td>
                <td className="number">
                  {formatCount(gate.inFlight)}
                  {gate.limits.maxInFlight !== null && ` / ${formatCount(gate.limits.maxInFlight)}`}
                </td>
                <td className="number">
                  {gate.tokens === null ? '-' : formatCount(Math.floor(gate.tokens))}
                </td>
                <td>
                  <Moment at={gate.opensAt} zone={zone} />
                </td>
                {isOperator && (
                  <td>
                    <button type="button" disabled={!isLive} onClick={() => setEdited(gate.group)}>
                      Edit limits<span className="hidden"> of {gate.group}</span>
                    </button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </TableBox>
      )}
      {editedGate && (
        <LimitsDialog account={view.account} gate={editedGate} onClose={() => setEdited(undefined)} />
      )}
    </section>
  );
}
