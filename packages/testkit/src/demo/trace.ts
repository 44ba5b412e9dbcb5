import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

import { outreachPayload, type OutreachPayload } from './campaign.js';

/** One row of a trace: so many jobs of one account in one minute. */
export interface TraceRow {
  minute: number;
  account: string;
  jobs: number;
}

/** Rows of a CSV `minute,account,jobs`, in the order of the file; a row that is none stops the reading. */
export async function* readTrace(file: string): AsyncGenerator<TraceRow> {
  let line = 0;
  let lastMinute = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    line += 1;
    if (text.trim() === '' || (line === 1 && text.startsWith('minute'))) continue;
    const match = /^(\d{1,7}),([^,"\s]{1,128}),(\d{1,7})$/.exec(text.trim());
    if (match === null)
      throw new Error(`${file}:${line}: expected minute,account,jobs, got "${text.slice(0, 80)}"`);
    const [, minute = '', account = '', jobs = ''] = match;
    if (Number(minute) < lastMinute) throw new Error(`${file}:${line}: minutes must not go back`);
    lastMinute = Number(minute);
    yield { minute: lastMinute, account, jobs: Number(jobs) };
  }
}

/** One arrival: `atMs` after the start of the trace. */
export interface Arrival {
  atMs: number;
  payload: OutreachPayload;
}

/** The jobs of each minute arrive evenly over it, those of its accounts in turn. */
export async function* arrivalsOf(rows: AsyncIterable<TraceRow>, seed: number): AsyncGenerator<Arrival> {
  const seen = new Map<string, { index: number; count: number }>();
  for await (const minute of groupByMinute(rows)) {
    const total = minute.rows.reduce((sum, row) => sum + row.jobs, 0);
    let place = 0;
    for (const account of takeTurns(minute.rows)) {
      const state = seen.get(account) ?? { index: seen.size, count: 0 };
      seen.set(account, state);
      const payload = outreachPayload(account, state.index, state.count, seed);
      state.count += 1;
      yield { atMs: (minute.minute + place / total) * 60_000, payload };
      place += 1;
    }
  }
}

async function* groupByMinute(
  rows: AsyncIterable<TraceRow>,
): AsyncGenerator<{ minute: number; rows: TraceRow[] }> {
  let current: { minute: number; rows: TraceRow[] } | undefined;
  for await (const row of rows) {
    if (current !== undefined && current.minute !== row.minute) {
      yield current;
      current = undefined;
    }
    current ??= { minute: row.minute, rows: [] };
    current.rows.push(row);
  }
  if (current !== undefined) yield current;
}

function* takeTurns(rows: readonly TraceRow[]): Generator<string> {
  const left = rows.map(({ account, jobs }) => ({ account, jobs }));
  for (let any = true; any;) {
    any = false;
    for (const row of left) {
      if (row.jobs === 0) continue;
      row.jobs -= 1;
      any = true;
      yield row.account;
    }
  }
}
