import type { z } from 'zod';
import type { Call, Reply } from '../http/route.js';
import { presentEndpoint } from './present-endpoint.js';
import { findEndpoint } from './reach-endpoint.js';
import type { endpointParams } from './schemas.js';

/** `GET /v1/webhook-endpoints/{id}` */
export async function getEndpoint(call: Call<z.output<typeof endpointParams>>): Promise<Reply> {
  return { status: 200, body: presentEndpoint(await findEndpoint(call, call.params.id)) };
}
