import { hasEnded, type JobView } from '../demo/api-client.js';
import { canOnlyEndDead, type AccountKind, type SandboxReport } from '../sandbox/index.js';
import type { Transition } from './history.js';
import { checkEnds, checkInFlight, checkRate, mostInFlight, type LimitsOf } from './rules.js';

export interface Evidence {
  /** Every accepted job as it was last seen. */
  readonly views: ReadonlyMap<string, JobView>;
  readonly history: readonly Transition[];
  /** The platform's, with `byReference`. */
  readonly report: SandboxReport;
  readonly kindOf: (account: string) => AccountKind;
  readonly limitsOf: (account: string) => ReturnType<LimitsOf>;
  readonly leaseMs: number;
}

export interface Verdict {
  readonly completed: number;
  readonly dead: number;
  readonly deadByCode: Record<string, number>;
  readonly expectedDead: number;
  /**
   * Dead beyond what the platform expects, since a worker was lost between the platform's answer and the record of
   * it, without its connection closing: stopped, or kept from its ledger. Accounts that can neither take a key nor
   * be asked leave no other way.
   */
  readonly unknownByLostWorker: number;
  /** Jobs that did not end, or completed without an effect. */
  readonly lost: number;
  readonly repeated: Record<AccountKind, number>;
  /** Jobs taken back from lost workers. */
  readonly recovered: number;
  readonly mostInFlight: number;
  /** Sentences, one for each broken rule and job; empty when all is well. The first of each rule. */
  readonly violations: readonly string[];
  /** How often each rule was broken. */
  readonly broken: Readonly<Record<string, number>>;
}

const SENTENCES_PER_RULE = 20;

/** Holds what Fairlane says against what the platform saw and what the queue recorded. */
export function judge({ views, history, report, kindOf, limitsOf, leaseMs }: Evidence): Verdict {
  const references = report.byReference ?? {};
  const lostWorkers = new Set(history.filter(({ step }) => step === 'lost').map(({ jobId }) => jobId));
  const limitsOfJob: LimitsOf = (jobId) => {
    const view = views.get(jobId);
    return view === undefined ? undefined : limitsOf(view.account);
  };
  const sentences = [
    ...checkEnds(history, views.keys()),
    ...checkRate(history, limitsOfJob),
    ...checkInFlight(history, limitsOfJob, leaseMs),
    ...(report.violations > 0 ? [`R3: the platform counted ${report.violations} requests too many`] : []),
  ];
  const repeated = { keys: 0, lookup: 0, blind: 0 };
  const deadByCode: Record<string, number> = {};
  let completed = 0;
  let dead = 0;
  let lost = 0;
  let unknownByLostWorker = 0;

  for (const [id, view] of views) {
    const { state, key, account, lastError } = view;
    const kind = kindOf(account);
    const seen = references[key];
    const applied = seen?.applied ?? 0;
    repeated[kind] += Math.max(0, applied - 1);
    const mustBeDead = seen !== undefined && canOnlyEndDead({ ...seen, kind });
    if (!hasEnded(view)) {
      lost += 1;
      sentences.push(`R1: ${id} of ${account} is ${state}`);
    }
    if (state === 'completed') {
      completed += 1;
      if (applied === 0) {
        lost += 1;
        sentences.push(`R1: ${id} of ${account} is completed, and the platform applied nothing`);
      }
      if (mustBeDead) sentences.push(`R2: ${id} of ${account} is completed although nobody could know`);
    }
    if (state === 'dead') {
      dead += 1;
      const code = lastError?.code ?? 'none';
      deadByCode[code] = (deadByCode[code] ?? 0) + 1;
      if (mustBeDead) continue;
      if (kind === 'blind' && code === 'unknown_outcome' && lostWorkers.has(id)) unknownByLostWorker += 1;
      else sentences.push(`R1: ${id} of ${account} (${kind}) is dead without a reason: ${code}`);
    }
  }
  if (repeated.keys + repeated.blind > 0) {
    sentences.push(`R2: repeated in accounts with keys ${repeated.keys}, in blind ones ${repeated.blind}`);
  }
  return {
    completed,
    dead,
    deadByCode,
    expectedDead: report.expectedDead,
    unknownByLostWorker,
    lost,
    repeated,
    recovered: lostWorkers.size,
    mostInFlight: mostInFlight(history, limitsOfJob),
    ...summarize(sentences),
  };
}

function summarize(sentences: readonly string[]): Pick<Verdict, 'violations' | 'broken'> {
  const broken: Record<string, number> = {};
  const violations = sentences.filter((sentence) => {
    const rule = sentence.slice(0, 2);
    broken[rule] = (broken[rule] ?? 0) + 1;
    return broken[rule] <= SENTENCES_PER_RULE;
  });
  return { violations, broken };
}
