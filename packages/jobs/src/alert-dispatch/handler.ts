import { implement } from '@fairlane/sdk';
import { alertDispatch } from './contract.js';
import type { IncidentWebhook } from './incident-webhook.js';
import type { Summariser } from './summary.js';

export interface AlertDispatchDependencies {
  /** Undefined where nobody is to be called. */
  readonly incidents: IncidentWebhook | undefined;
  readonly summariser: Summariser;
}

/**
 * Incident tools keep a `dedupKey` open as long as the incident; a day is what every one of them does. Without it a
 * lost answer would leave the alert to a person, and an alert that is sent twice does less harm than one that waits.
 */
const INCIDENT_KEY_TTL_MS = 24 * 3_600_000;
/** Writing a summary again changes nothing outside. */
const SUMMARY_KEY_TTL_MS = 30 * 86_400_000;

/** Work of `alert.dispatch`: the incident first, then the summary, so that nobody waits for a text to be written. */
export function createAlertDispatch({ incidents, summariser }: AlertDispatchDependencies) {
  return implement(alertDispatch, async (reading, ctx) => {
    const incident =
      incidents === undefined
        ? null
        : await ctx.effect('incident', {
            perform: (call) => incidents.open(reading, call),
            repeatable: { keyTtlMs: INCIDENT_KEY_TTL_MS },
            timeoutMs: incidents.timeoutMs,
          });
    if (incident === null) ctx.logger.warn('nobody was told: INCIDENT_WEBHOOK_URL is not set');
    const summary = await ctx.effect('summary', {
      perform: (call) => summariser.summarise(reading, call),
      repeatable: { keyTtlMs: SUMMARY_KEY_TTL_MS },
      timeoutMs: summariser.timeoutMs,
    });
    return { incident, summary };
  });
}
