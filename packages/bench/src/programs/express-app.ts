import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import express from 'express';

import { openBullMqQueue } from '../adapters/bullmq-queue.js';
import { jobId, type BenchData } from '../workload.js';
import { assignment, leave, tell, told } from './channel.js';

/** The API an application without Fairlane would write: Express, its JSON parser, `queue.add`. */
export interface ExpressSpec {
  readonly queue: string;
}

export interface ExpressResult {
  readonly url: string;
}

const { port: redisPort, spec } = assignment() as { port: number; spec: ExpressSpec };
const queue = await openBullMqQueue({ port: redisPort, queue: spec.queue });

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.post('/v1/jobs/:name', express.json(), async (request, response) => {
  const data = request.body as BenchData;
  const id = jobId(`${data.accountId}/${data.leadId}/${data.step}`);
  await queue.add({ id, account: data.accountId, data });
  response.status(202).json({ id, status: 'accepted' });
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

await tell('ready');
await tell({ url: `http://127.0.0.1:${port}` } satisfies ExpressResult);
await told('stop');
leave();
