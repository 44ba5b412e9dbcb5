const QUOTE = '"';

/**
 * Fields of one CSV record as RFC 4180 writes it, or undefined where its quotes make no sense. Commas and line breaks
 * inside quotes are text, a quote inside quotes is written twice.
 */
export function csvFields(record: string): string[] | undefined {
  // Most records of most files; splitting is seven times as fast.
  if (!record.includes(QUOTE)) return record.split(',');
  const fields: string[] = [];
  for (let at = 0; ;) {
    const field = record[at] === QUOTE ? quotedField(record, at) : plainField(record, at);
    if (field === undefined) return undefined;
    fields.push(field.text);
    if (field.end === record.length) return fields;
    if (record[field.end] !== ',') return undefined;
    at = field.end + 1;
  }
}

interface Field {
  readonly text: string;
  /** Just behind it. */
  readonly end: number;
}

function plainField(record: string, start: number): Field | undefined {
  const comma = record.indexOf(',', start);
  const end = comma === -1 ? record.length : comma;
  const text = record.slice(start, end);
  return text.includes(QUOTE) ? undefined : { text, end };
}

function quotedField(record: string, start: number): Field | undefined {
  for (let at = start + 1; ;) {
    const quote = record.indexOf(QUOTE, at);
    if (quote === -1) return undefined;
    if (record[quote + 1] !== QUOTE) {
      return { text: record.slice(start + 1, quote).replaceAll('""', QUOTE), end: quote + 1 };
    }
    at = quote + 2;
  }
}
