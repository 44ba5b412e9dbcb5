import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect } from 'vitest';

import type { DeploymentDescription } from '../../src/deployment/deployment.js';
import { freePort, startGuardedProcess } from '../../src/index.js';

const RULES = fileURLToPath(new URL('../../../../deploy/prometheus/rules.yml', import.meta.url));

export interface Prometheus {
  /** Instant query; the values by their labels, as text. */
  query: (promql: string) => Promise<Record<string, number>>;
  stop(): Promise<void>;
}

/** Prometheus with the rules as they are shipped, scraping the API and the workers of a deployment as often as shipped. */
export async function startPrometheus(
  { api, workers, tokens }: DeploymentDescription,
  folder: string,
): Promise<Prometheus> {
  const port = await freePort();
  const config = `
global: { scrape_interval: 15s, evaluation_interval: 15s }
rule_files: [${RULES}]
scrape_configs:
  - job_name: fairlane-api
    authorization: { credentials: ${tokens.viewer} }
    static_configs: [{ targets: ${hosts([api])} }]
  - job_name: fairlane-worker
    static_configs: [{ targets: ${hosts(workers.map(({ metrics }) => metrics))} }]
`;
  writeFileSync(join(folder, 'prometheus.yml'), config);
  const logFd = openSync(join(folder, 'prometheus.log'), 'a');
  const child = await startGuardedProcess({
    command: 'prometheus',
    args: [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'prometheus')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    env: { PATH: process.env['PATH'] },
    logFd,
  });
  closeSync(logFd);

  async function query(promql: string): Promise<Record<string, number>> {
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(promql)}`;
    const { data } = (await (await fetch(url)).json()) as {
      data: { result: { metric: Record<string, string>; value: [number, string] }[] };
    };
    return Object.fromEntries(
      data.result.map(({ metric, value }) => [labelsOf(metric), Number(value[1])] as const),
    );
  }

  const everyTarget = 1 + workers.length;
  await expect
    .poll(async () => query('sum(up)'), { timeout: 60_000, interval: 500 })
    .toEqual({ '': everyTarget });
  return { query, stop: () => child.stop() };
}

function hosts(urls: readonly string[]): string {
  return JSON.stringify(urls.map((url) => new URL(url).host));
}

function labelsOf({ __name__: _name, ...labels }: Record<string, string>): string {
  return Object.values(labels).toSorted().join(' ');
}
