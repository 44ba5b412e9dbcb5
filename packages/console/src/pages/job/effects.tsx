import { useId, useState } from 'react';
import { write } from '../../api/client.js';
import { isOperator } from '../../api/session.js';
import type { Effect, Job } from '../../api/types.js';
import { effectWord } from '../../format/words.js';
import { apiPath } from '../../frame/paths.js';
import { Badge } from '../../parts/badge.js';
import { TableBox } from '../../parts/table.js';
import { Moment } from '../../parts/time.js';
import { useAction } from '../../parts/use-action.js';
import { isUnresolved } from './unresolved.js';

/** What the job did to the outside. An outcome nobody could know comes first, with what there is to decide on. */
export function Effects({ job }: { job: Job }) {
  if (job.effects.length === 0) return null;
  const unresolved = job.effects.filter((effect) => isUnresolved(effect, job));
  return (
    <section aria-labelledby="effects">
      <h2 id="effects" tabIndex={-1}>
        Effects
      </h2>
      {unresolved.map((effect) => (
        <Resolve key={effect.name} job={job} effect={effect} />
      ))}
      <TableBox label="Effects">
        <thead>
          <tr>
            <th scope="col">Effect</th>
            <th scope="col">State</th>
            <th scope="col">At</th>
            <th scope="col">Id outside</th>
          </tr>
        </thead>
        <tbody>
          {job.effects.map(({ name, state, at, externalId }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <Badge {...effectWord(state)} />
              </td>
              <td>
                <Moment at={at} />
              </td>
              <td className="id">{externalId ?? '-'}</td>
            </tr>
          ))}
        </tbody>
      </TableBox>
    </section>
  );
}

function Resolve({ job, effect }: { job: Job; effect: Effect }) {
  const action = useAction();
  const inputId = useId();
  const [externalId, setExternalId] = useState('');
  const resolve = async (outcome: 'applied' | 'not_applied') => {
    const id = externalId.trim();
    const body = { outcome, ...(outcome === 'applied' && id !== '' ? { externalId: id } : {}) };
    const done =
      outcome === 'applied'
        ? 'Noted that it was sent: it is not sent again.'
        : 'Noted that it was not sent: it is sent now.';
    const path = apiPath(['jobs', job.id, 'effects', effect.name, 'resolve']);
    // The question goes with its answer: the keyboard goes on where the answer stands.
    if (await action.run(() => write('POST', path, { body }), done))
      document.querySelector<HTMLElement>('#effects')?.focus();
  };
  return (
    <div className="resolve">
      <h3>Was "{effect.name}" sent?</h3>
      <p>
        {/* An outcome is given up by the attempt that finds it open, minutes after the call that had no answer. */}
        {effect.state === 'unknown' ? 'An attempt before' : 'The attempt of'} <Moment at={effect.at} /> ended
        without an answer. Look it up at the provider for account <b className="id">{job.account}</b> under
        the reference <b className="id">{job.key}</b>.
      </p>
      {isOperator ? (
        <>
          <label htmlFor={inputId}>
            Id the provider shows, if it was sent (optional)
            <input
              id={inputId}
              value={externalId}
              maxLength={256}
              autoComplete="off"
              onChange={({ target }) => setExternalId(target.value)}
            />
          </label>
          <p className="equal">
            <button type="button" disabled={action.isOff} onClick={() => void resolve('applied')}>
              It was sent
            </button>
            <button type="button" disabled={action.isOff} onClick={() => void resolve('not_applied')}>
              It was not sent
            </button>
          </p>
          {action.error !== undefined && <p className="error">{action.error}</p>}
        </>
      ) : (
        <p className="note">Deciding this needs the operator role.</p>
      )}
    </div>
  );
}
