import type { Account, Window } from '../../api/types.js';
import { formatCount } from '../../format/numbers.js';

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

export function Settings({ view: { weight, windows } }: { view: Account }) {
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <dl className="facts">
        <div>
          <dt>Share</dt>
          <dd>{formatCount(weight)}</dd>
        </div>
        <div>
          <dt>Sending hours</dt>
          <dd>{windows === null ? 'at any time' : windows.map(describeWindow).join('; ')}</dd>
        </div>
      </dl>
    </section>
  );
}

function describeWindow({ zone, days: chosen, from, to }: Window): string {
  return `${chosen.map((day) => days[day - 1]).join(' ')} ${from}-${to} (${zone})`;
}
