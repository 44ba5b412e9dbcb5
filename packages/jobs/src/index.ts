import type { JobImplementation } from '@fairlane/sdk';
import { createGatewayClient } from './outreach-send/gateway-client.js';
import { createOutreachSend } from './outreach-send/handler.js';

export interface JobDependencies {
  /** Base URL of the outreach platform. */
  readonly gatewayUrl: string;
}

/** Handlers of every job of the product, for workers. */
export function createImplementations({ gatewayUrl }: JobDependencies): readonly JobImplementation[] {
  return [createOutreachSend(createGatewayClient({ url: gatewayUrl }))];
}
