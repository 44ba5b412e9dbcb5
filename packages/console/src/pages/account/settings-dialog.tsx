import { useId, useState, type FormEvent } from 'react';
import { write } from '../../api/client.js';
import type { Account, Window } from '../../api/types.js';
import { apiPath } from '../../frame/paths.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogActions } from '../../parts/dialog-actions.js';
import { Change, Field } from '../../parts/field.js';
import { useAction } from '../../parts/use-action.js';
import {
  dayNames,
  describeSettings,
  settingsFormOf,
  settingsFrom,
  type SettingsForm,
} from './settings-form.js';

const zones = Intl.supportedValuesOf('timeZone');
const zoneHere = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const maxWindows = 32;

/** An account's share and sending hours; its limits are those of a gate, see {@link LimitsDialog}. */
export function SettingsDialog({ view, onClose }: { view: Account; onClose: () => void }) {
  const action = useAction();
  const zoneListId = useId();
  const [form, setForm] = useState<SettingsForm>(() => settingsFormOf(view));
  const wanted = settingsFrom(form, view);
  const setWindows = (windows: Window[]) => setForm((before) => ({ ...before, windows }));
  const setWindow = (at: number, patch: Partial<Window>) =>
    setWindows(form.windows.map((window, index) => (index === at ? { ...window, ...patch } : window)));
  const addWindow = () => {
    const zone = form.windows.at(-1)?.zone ?? zoneHere;
    setWindows([...form.windows, { zone, days: [1, 2, 3, 4, 5], from: '09:00', to: '17:00' }]);
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (typeof wanted === 'string') return;
    const path = apiPath(['accounts', view.account]);
    const after = describeSettings({ ...view, ...wanted });
    if (await action.run(() => write('PUT', path, { body: wanted }), `${view.account}: now ${after}.`))
      onClose();
  };

  return (
    <Dialog title={`Settings of ${view.account}`} onClose={onClose}>
      <form onSubmit={(event) => void save(event)}>
        <Field
          label="Share: with 2 it has twice the turns of an account with 1"
          value={form.weight}
          onChange={(weight) => setForm((before) => ({ ...before, weight }))}
          inputMode="decimal"
          isFirst
        />
        <datalist id={zoneListId}>
          {zones.map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        {form.windows.map((window, at) => (
          <WindowFields
            key={at}
            title={`Sending hours ${at + 1}`}
            window={window}
            zoneListId={zoneListId}
            change={(patch) => setWindow(at, patch)}
            remove={() => setWindows(form.windows.filter((_window, index) => index !== at))}
          />
        ))}
        <p>
          {form.windows.length === 0 && 'Without sending hours, jobs may start at any time. '}
          <button type="button" disabled={form.windows.length >= maxWindows} onClick={addWindow}>
            Add sending hours
          </button>
        </p>
        <Change
          now={describeSettings(view)}
          wanted={typeof wanted === 'string' ? wanted : describeSettings({ ...view, ...wanted })}
        />
        <DialogActions
          action={action}
          keep="Cancel"
          onClose={onClose}
          act="Set these"
          isReady={typeof wanted !== 'string'}
        />
      </form>
    </Dialog>
  );
}

interface WindowFieldsProps {
  title: string;
  window: Window;
  zoneListId: string;
  change: (patch: Partial<Window>) => void;
  remove: () => void;
}

function WindowFields({
  title,
  window: { zone, days, from, to },
  zoneListId,
  change,
  remove,
}: WindowFieldsProps) {
  const toggle = (day: number) =>
    change({ days: days.includes(day) ? days.filter((one) => one !== day) : [...days, day] });
  return (
    <fieldset>
      <legend>{title}</legend>
      <div className="days">
        {dayNames.map((name, index) => (
          <label key={name}>
            <input type="checkbox" checked={days.includes(index + 1)} onChange={() => toggle(index + 1)} />
            {name}
          </label>
        ))}
      </div>
      <div className="hours">
        <Field label="From" value={from} onChange={(text) => change({ from: text })} maxLength={5} />
        <Field label="To" value={to} onChange={(text) => change({ to: text })} maxLength={5} />
        <Field label="Time zone" value={zone} onChange={(text) => change({ zone: text })} list={zoneListId} />
      </div>
      <button type="button" onClick={remove}>
        Remove<span className="hidden"> {title.toLowerCase()}</span>
      </button>
    </fieldset>
  );
}
