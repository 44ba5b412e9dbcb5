import type { Job } from '../../api/types.js';

export interface CampaignSummary {
  tag: string;
  waiting: number;
  running: number;
  completed: number;
  dead: number;
  newestAt: string;
}

/** Sums up jobs, newest first, by tag; the campaign of the newest job leads. Jobs without a tag belong to none. */
export function campaignsOf(jobs: readonly Pick<Job, 'tag' | 'state' | 'createdAt'>[]): CampaignSummary[] {
  const campaigns = new Map<string, CampaignSummary>();
  for (const { tag, state, createdAt } of jobs) {
    if (tag === undefined) continue;
    const summary = campaigns.get(tag) ?? {
      tag,
      waiting: 0,
      running: 0,
      completed: 0,
      dead: 0,
      newestAt: createdAt,
    };
    campaigns.set(tag, summary);
    if (state === 'active') summary.running += 1;
    else if (state === 'completed') summary.completed += 1;
    else if (state === 'dead') summary.dead += 1;
    else if (state !== 'cancelled') summary.waiting += 1;
  }
  return [...campaigns.values()];
}
