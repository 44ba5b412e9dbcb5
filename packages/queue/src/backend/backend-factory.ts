import { createBackendFactory, type LaneBackendOptions } from '@fairlane/lanes';
import type { Catalogue } from '@fairlane/sdk';
import type { BackendFactory } from 'bullmq';
import { FairlaneBackend } from './fairlane-backend.js';

/** Last constructor argument of BullMQ's `Queue` and `Worker`: declares the catalogue's limit groups to the lanes. */
export function fairlaneBackends(
  { limitGroups }: Pick<Catalogue, 'limitGroups'>,
  options: Omit<LaneBackendOptions, 'groups'> = {},
): BackendFactory<FairlaneBackend> {
  return createBackendFactory(FairlaneBackend, { ...options, groups: limitGroups });
}
