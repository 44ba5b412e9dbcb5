import type { EffectLedger } from '../ledger.js';

/**
 * A ledger whose calls pass through `intercept`, which may fail them before they are made, or after: as when the
 * answer is lost.
 */
export function interceptLedger(
  ledger: EffectLedger,
  intercept: <T>(method: string, call: () => Promise<T>) => Promise<T>,
): EffectLedger {
  return {
    begin: async (request) => intercept('begin', async () => ledger.begin(request)),
    withdraw: async (request) => intercept('withdraw', async () => ledger.withdraw(request)),
    repeat: async (request) => intercept('repeat', async () => ledger.repeat(request)),
    record: async (request) => intercept('record', async () => ledger.record(request)),
    resolve: async (request) => ledger.resolve(request),
    effects: async (jobId) => ledger.effects(jobId),
    effectsOf: async (jobIds) => ledger.effectsOf(jobIds),
    unsettled: async (jobIds) => ledger.unsettled(jobIds),
    sweep: async (request) => ledger.sweep(request),
    check: async () => ledger.check(),
    close: async () => ledger.close(),
  };
}
