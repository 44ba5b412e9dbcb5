/** One clock for all processes of a machine; wall clocks of two processes drift apart in a long run. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
