/**
 * BullMQ parses `opts`, `progress` and `parent` of a job's hash outside any handler of errors. One broken value would
 * make every activation of the job throw, so that it stalls, comes back and stalls again for ever (A23). Such a value
 * is replaced before BullMQ sees it.
 */
const FALLBACKS: Readonly<Record<string, string>> = { opts: '{}', progress: '0', parent: 'null' };

/** Written by `cancel.lua` to the hash of a job that runs. */
export const CANCEL_FIELD = 'flCancel';

/** What was found in the hash of the job that an activating script hands out. */
export interface Activation {
  readonly id: string | undefined;
  /** Fields whose value was replaced. */
  readonly repaired: readonly string[];
  /** A person has cancelled it while a worker, lost since then, ran it. */
  readonly isCancelled: boolean;
}

/** @param reply of an activating script: `[[field, value, ...], id, limitDelay, delayUntil]`, or a code. */
export function readActivation(reply: unknown): Activation {
  const repaired: string[] = [];
  let isCancelled = false;
  if (!Array.isArray(reply) || !Array.isArray(reply[0])) return { id: undefined, repaired, isCancelled };
  const fields = reply[0] as unknown[];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = String(fields[at]);
    if (name === CANCEL_FIELD) isCancelled = true;
    const fallback = FALLBACKS[name];
    if (fallback === undefined || isJson(fields[at + 1])) continue;
    fields[at + 1] = fallback;
    repaired.push(name);
  }
  return { id: String(reply[1]), repaired, isCancelled };
}

function isJson(text: unknown): boolean {
  try {
    JSON.parse(String(text));
    return true;
  } catch {
    return false;
  }
}
