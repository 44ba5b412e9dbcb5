import { readCursor, writeCursor } from './cursor.js';

/** Where in a source a job was found. */
export interface RowPlace {
  /** Of waiting jobs the lane, or of one account's its group; '' where there is but one list. */
  readonly lane: string;
  /** Score in a sorted set, index in a list; 'end': the lane is through. */
  readonly at: string;
  /** In a list: distance from its end, else ''. */
  readonly tail: string;
}

/** What was read last of a source. */
export interface Place extends RowPlace {
  /** The last ones, the very last at the end: where that is gone, the one before it is looked for. */
  readonly ids: readonly string[];
}

/** One source of jobs, newest first: a state in a queue, and what is behind us of it. */
export interface Source {
  readonly queue: string;
  readonly state: string;
  place?: Place;
}

/** A cursor holds at most about so many ids, so that it fits into a URL. */
const MAX_IDS = 60;
const MAX_IDS_A_SOURCE = 8;

/** The place of a source once a row of it has been taken, too. */
export function placeAfter(
  before: Place | undefined,
  { id, place }: { readonly id: string; readonly place: RowPlace },
  sourceCount: number,
): Place {
  // Only a list needs more than the last one: in a sorted set the score of one that is gone still tells its place.
  const kept =
    place.tail === ''
      ? 1
      : Math.max(2, Math.min(MAX_IDS_A_SOURCE, Math.floor(MAX_IDS / Math.max(1, sourceCount))));
  const known = before !== undefined && before.lane === place.lane ? before.ids : [];
  return { ...place, ids: [...known, id].slice(-kept) };
}

/** For the next page, from the sources that are not through. */
export function writeSources(sources: readonly Source[]): string {
  return writeCursor(
    sources.map(({ queue, state, place }) =>
      place === undefined ? [queue, state] : [queue, state, place.lane, place.at, place.tail, ...place.ids],
    ),
  );
}

/** Undefined for a cursor that is broken. */
export function readSources(cursor: string | undefined): Source[] | undefined {
  const sources = readCursor(cursor);
  if (!Array.isArray(sources)) {
    return undefined;
  }
  const read: Source[] = [];
  for (const source of sources as unknown[]) {
    if (!Array.isArray(source) || !source.every((part): part is string => typeof part === 'string')) {
      return undefined;
    }
    const [queue, state, lane, at, tail, ...ids] = source;
    if (queue === undefined || state === undefined) {
      return undefined;
    }
    const place =
      lane === undefined || at === undefined || tail === undefined ? {} : { place: { lane, at, tail, ids } };
    read.push({ queue, state, ...place });
  }
  return read;
}
