import { PermanentError } from '@fairlane/sdk';
import type { CsvRecord } from './csv-records.js';

export const MAX_COLUMNS = 256;
/** All names together, as JSON: the ledger keeps them. */
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Columns of a file by its first record.
 *
 * @throws PermanentError saying what is wrong with it: no later attempt reads another file.
 */
export function readHeader(record: CsvRecord | undefined): string[] {
  if (record === undefined) throw refused('the file is empty');
  const { fields, problem, line } = record;
  if (fields === undefined) throw refused(`line ${line}: ${problem ?? 'cannot be read'}`);
  if (fields.length > MAX_COLUMNS) throw refused(`it has more than ${MAX_COLUMNS} columns`);
  const names = fields.map((name) => name.trim());
  for (const [index, name] of names.entries()) {
    if (name === '') throw refused(`column ${index + 1} has no name`);
    if (names.indexOf(name) !== index) throw refused(`two columns have the name ${name.slice(0, 50)}`);
  }
  if (Buffer.byteLength(JSON.stringify(names)) > MAX_HEADER_BYTES) {
    throw refused(`its names have more than ${MAX_HEADER_BYTES} bytes`);
  }
  return names;
}

function refused(what: string): PermanentError {
  return new PermanentError({ code: 'invalid_payload', reason: `The header cannot be used: ${what}.` });
}
