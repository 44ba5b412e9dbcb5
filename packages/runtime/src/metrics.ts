import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, Registry } from 'prom-client';

export const METRIC_PREFIX = 'fairlane_';

/** A registry with the process's own figures and `fairlane_event_loop_lag_seconds`. */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const lag = new Gauge({
    name: `${METRIC_PREFIX}event_loop_lag_seconds`,
    help: 'p99 of how late the event loop ran its timers since the last scrape',
    registers: [],
    collect() {
      const p99 = delay.percentile(99) / 1e9;
      this.set(Number.isFinite(p99) ? p99 : 0);
      delay.reset();
    },
  });
  registry.registerMetric(lag);
  return registry;
}
