import { useEffect, useId, useRef, useState } from 'react';

interface TextFilterProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  /** The field that `/` leads to. */
  isSearch?: boolean;
}

const typingMs = 250;

/** Follows the address, and changes it when typing pauses. */
export function TextFilter({ label, value, onChange, isSearch = false }: TextFilterProps) {
  const id = useId();
  const [text, setText] = useState(value ?? '');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value ?? ''), [value]);
  const apply = (next: string) => onChange(next.trim() === '' ? undefined : next.trim());
  return (
    <label htmlFor={id}>
      {label}
      <input
        id={id}
        type="search"
        value={text}
        autoComplete="off"
        spellCheck={false}
        maxLength={256}
        {...(isSearch ? { 'data-search': true } : {})}
        onChange={({ target }) => {
          setText(target.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => apply(target.value), typingMs);
        }}
      />
    </label>
  );
}

export function ChoiceFilter(props: {
  label: string;
  value: string | undefined;
  choices: readonly (readonly [value: string, word: string])[];
  onChange: (value: string | undefined) => void;
}) {
  const id = useId();
  return (
    <label htmlFor={id}>
      {props.label}
      <select
        id={id}
        value={props.value ?? ''}
        onChange={({ target }) => props.onChange(target.value === '' ? undefined : target.value)}
      >
        <option value="">any</option>
        {props.choices.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}
