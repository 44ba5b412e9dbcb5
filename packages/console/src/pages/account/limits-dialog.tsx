import { useId, useState, type FormEvent } from 'react';
import { write } from '../../api/client.js';
import type { Gate, Limits } from '../../api/types.js';
import { formatPeriod } from '../../format/times.js';
import { describeLimits } from '../../format/words.js';
import { apiPath } from '../../frame/paths.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogActions } from '../../parts/dialog-actions.js';
import { Change, Field } from '../../parts/field.js';
import { useAction } from '../../parts/use-action.js';
import { limitsFrom, type LimitsForm } from './limits-form.js';

const periods = [1_000, 60_000, 3_600_000, 86_400_000];

interface LimitsDialogProps {
  account: string;
  gate: Gate;
  onClose: () => void;
}

/** Old and new stand beside each other until one is chosen. */
export function LimitsDialog({ account, gate: { group, limits }, onClose }: LimitsDialogProps) {
  const action = useAction();
  const [form, setForm] = useState<LimitsForm>(() => ({
    limit: textOf(limits.limit),
    perMs: limits.perMs ?? 60_000,
    burst: limits.burst === limits.limit ? '' : textOf(limits.burst),
    maxInFlight: textOf(limits.maxInFlight),
  }));
  const wanted = limitsFrom(form);
  const set = (patch: Partial<LimitsForm>) => setForm((before) => ({ ...before, ...patch }));

  const path = apiPath(['accounts', account, 'limits', group]);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (typeof wanted === 'string') return;
    const after = describeLimits({ ...nothing, ...wanted });
    if (await action.run(() => write('PUT', path, { body: wanted }), `${group}: now ${after}.`)) onClose();
  };
  const remove = async () => {
    const done = `${group}: back to the limits of the group.`;
    if (await action.run(() => write('DELETE', path), done)) onClose();
  };

  return (
    <Dialog title={`Limits of ${account} for ${group}`} onClose={onClose}>
      <form onSubmit={(event) => void save(event)}>
        <Field
          label="How many"
          value={form.limit}
          onChange={(limit) => set({ limit })}
          inputMode="decimal"
          isFirst
        />
        <PeriodField value={form.perMs} onChange={(perMs) => set({ perMs })} />
        <Field
          label="Burst, if not the same"
          value={form.burst}
          onChange={(burst) => set({ burst })}
          inputMode="decimal"
        />
        <Field
          label="At most at once"
          value={form.maxInFlight}
          onChange={(maxInFlight) => set({ maxInFlight })}
          inputMode="numeric"
        />
        <Change
          now={describeLimits(limits)}
          wanted={typeof wanted === 'string' ? wanted : describeLimits({ ...nothing, ...wanted })}
        />
        <DialogActions
          action={action}
          keep="Cancel"
          onClose={onClose}
          act="Set these limits"
          isReady={typeof wanted !== 'string'}
        >
          <button type="button" disabled={action.isOff} onClick={() => void remove()}>
            Use those of the group
          </button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

const nothing: Limits = { limit: null, perMs: null, burst: null, maxInFlight: null };

function textOf(value: number | null): string {
  return value === null ? '' : String(value);
}

function PeriodField({ value, onChange }: { value: number; onChange: (value: number) => void }) {
  const id = useId();
  const choices = periods.includes(value) ? periods : [...periods, value];
  return (
    <label htmlFor={id}>
      Per
      <select id={id} value={value} onChange={({ target }) => onChange(Number(target.value))}>
        {choices.map((ms) => (
          <option key={ms} value={ms}>
            {formatPeriod(ms).replace(/^(an?|in) /, '')}
          </option>
        ))}
      </select>
    </label>
  );
}
