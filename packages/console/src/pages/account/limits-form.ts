import type { LimitsInput } from '../../api/types.js';

/** As typed; an empty field sets nothing. */
export interface LimitsForm {
  limit: string;
  perMs: number;
  burst: string;
  maxInFlight: string;
}

/** What is to be sent, or what is wrong in words. The server has the last word. */
export function limitsFrom({ limit, perMs, burst, maxInFlight }: LimitsForm): LimitsInput | string {
  const numbers = { limit: read(limit), burst: read(burst), maxInFlight: read(maxInFlight) };
  if (Object.values(numbers).some((value) => value === 'wrong')) return 'Only numbers above 0 can be set.';
  const { limit: rate, burst: size, maxInFlight: cap } = numbers as Record<string, number | undefined>;
  if (cap !== undefined && !Number.isInteger(cap)) return 'How many run at once is a whole number.';
  if (rate === undefined && size !== undefined) return 'A burst needs a rate.';
  if (rate === undefined && cap === undefined) return 'Nothing is filled in.';
  return {
    ...(rate === undefined ? {} : { limit: rate, perMs }),
    ...(size === undefined ? {} : { burst: size }),
    ...(cap === undefined ? {} : { maxInFlight: cap }),
  };
}

function read(text: string): number | undefined | 'wrong' {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const value = Number(trimmed);
  return /^\d+(\.\d+)?$/.test(trimmed) && value > 0 ? value : 'wrong';
}
