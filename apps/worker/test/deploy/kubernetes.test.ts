import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { catalogue } from '@fairlane/jobs/contracts';
import { parseEnv } from '@fairlane/runtime';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { workerVariables } from '../../src/environment.js';

const folder = new URL('../../../../deploy/kubernetes/', import.meta.url);
const read = (name: string) => readFileSync(fileURLToPath(new URL(name, folder)), 'utf8');

interface Probe {
  httpGet: { path: string; port: string };
}
interface Deployment {
  metadata: { name: string };
  spec: {
    replicas?: number;
    template: {
      spec: {
        terminationGracePeriodSeconds: number;
        securityContext: { runAsNonRoot: boolean };
        containers: {
          command: string[];
          env: { name: string; value: string }[];
          ports: { name: string; containerPort: number }[];
          startupProbe: Probe;
          livenessProbe: Probe;
          readinessProbe: Probe;
        }[];
      };
    };
  };
}
interface Scaling {
  spec: {
    scaleTargetRef: { name: string };
    minReplicaCount: number;
    maxReplicaCount: number;
    triggers: { type: string; metadata: { url: string; valueLocation: string } }[];
  };
}

const deployment = parse(read('worker.yaml')) as Deployment;
const pod = deployment.spec.template.spec;
const scaling = parseAllDocuments(read('worker-scaling.yaml'))[0]?.toJS() as Scaling;

function container() {
  const [worker] = pod.containers;
  if (worker === undefined) throw new Error('the deployment has no container');
  return worker;
}

describe('the deployment for Kubernetes', () => {
  test('gives a worker an environment that it takes, and more time than it may need to stop', () => {
    const given = Object.fromEntries(container().env.map(({ name, value }) => [name, value]));
    const env = parseEnv(workerVariables(catalogue), { REDIS_URL: 'redis://redis.example.com', ...given });
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(env.WORKER_GRACE_MS + 15_000);
    expect(container().ports).toEqual([{ name: 'health', containerPort: env.WORKER_HEALTH_PORT }]);
    expect(container().command).toEqual(['node', 'worker/dist/main.js']);
    expect(pod.securityContext.runAsNonRoot).toBe(true);
  });

  test('restarts by /healthz and counts as there by /readyz', () => {
    const { startupProbe, livenessProbe, readinessProbe } = container();
    const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet);
    expect(paths).toEqual([
      { path: '/readyz', port: 'health' },
      { path: '/healthz', port: 'health' },
      { path: '/readyz', port: 'health' },
    ]);
  });

  test('asks the API about the queues that the worker serves, within the bounds of the ScaledObject', () => {
    const { scaleTargetRef, minReplicaCount, maxReplicaCount, triggers } = scaling.spec;
    expect([scaleTargetRef.name, deployment.spec.replicas]).toEqual([deployment.metadata.name, undefined]);
    expect(triggers).toHaveLength(1);
    const [trigger] = triggers;
    expect(trigger).toMatchObject({ type: 'metrics-api', metadata: { valueLocation: 'desiredReplicas' } });
    const url = new URL(trigger?.metadata.url ?? '');
    const served = container().env.find(({ name }) => name === 'WORKER_QUEUES')?.value ?? '';
    expect(url.pathname).toBe('/v1/scaling');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      queues: served.replaceAll(/:[^,]+/g, ''),
      min: String(minReplicaCount),
      max: String(maxReplicaCount),
      format: 'json',
    });
  });
});
