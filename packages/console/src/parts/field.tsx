import { useId, type HTMLAttributes } from 'react';

interface FieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Where a dialog opens. */
  isFirst?: boolean;
  inputMode?: HTMLAttributes<HTMLInputElement>['inputMode'];
  /** Id of a `<datalist>`. */
  list?: string;
  maxLength?: number;
}

/** A labelled line of text in a form; what it means is checked by who reads the form. */
export function Field({ label, value, onChange, isFirst = false, ...rest }: FieldProps) {
  const id = useId();
  return (
    <label htmlFor={id}>
      {label}
      <input
        id={id}
        autoComplete="off"
        spellCheck={false}
        value={value}
        {...rest}
        {...(isFirst ? { 'data-first-focus': true } : {})}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}

/** What is now and what will be, beside each other until one is chosen. */
export function Change({ now, wanted }: { now: string; wanted: string }) {
  return (
    <dl className="change">
      <div>
        <dt>Now</dt>
        <dd>{now}</dd>
      </div>
      <div>
        <dt>New</dt>
        <dd>{wanted}</dd>
      </div>
    </dl>
  );
}
