/** What every deployment promises to tell, by metric: the labels of its series. Histograms by their count. */
export const promised: Readonly<Record<string, readonly string[]>> = {
  jobs: ['queue', 'state'],
  oldest_eligible_age_seconds: ['queue'],
  oldest_held_age_seconds: ['queue', 'reason'],
  jobs_enqueued_total: ['queue', 'name', 'outcome'],
  jobs_started_total: ['queue'],
  jobs_finished_total: ['queue', 'name', 'outcome', 'code'],
  job_attempts_total: ['queue', 'class'],
  time_in_queue_seconds_count: ['queue'],
  processing_seconds_count: ['queue', 'name'],
  workers: ['queue', 'status'],
  accounts: ['queue', 'state', 'reason'],
  claim_repairs_total: ['queue', 'direction'],
  effects_total: ['outcome'],
  redis_memory_bytes: [],
  event_loop_lag_seconds: [],
};

/** The labels that the series of a promised metric carry, where it is told by any of the processes. */
export function toldLabels(texts: readonly string[]): Record<string, string[]> {
  const told: Record<string, string[]> = {};
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    const [, name = '', labels = ''] = /^fairlane_(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (Object.hasOwn(promised, name))
      told[name] = [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label ?? '');
  }
  return told;
}
