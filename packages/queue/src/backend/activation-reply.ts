/**
 * BullMQ parses `opts`, `progress` and `parent` of a job's hash outside any handler of errors. One broken value would
 * make every activation of the job throw, so that it stalls, comes back and stalls again for ever (A23). Such a value
 * is replaced before BullMQ sees it.
 */
const FALLBACKS: Readonly<Record<string, string>> = { opts: '{}', progress: '0', parent: 'null' };

/**
 * @param reply of an activating script: `[[field, value, ...], id, limitDelay, delayUntil]`, or a code.
 * @returns the fields whose value was replaced.
 */
export function repairActivationReply(reply: unknown): readonly string[] {
  if (!Array.isArray(reply) || !Array.isArray(reply[0])) return [];
  const fields = reply[0] as unknown[];
  const repaired: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = String(fields[at]);
    const fallback = FALLBACKS[name];
    if (fallback === undefined || isJson(fields[at + 1])) continue;
    fields[at + 1] = fallback;
    repaired.push(name);
  }
  return repaired;
}

function isJson(text: unknown): boolean {
  try {
    JSON.parse(String(text));
    return true;
  } catch {
    return false;
  }
}
