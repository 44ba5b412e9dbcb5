import { CLASSIFICATION, FairlaneError, type Classification } from '@fairlane/sdk';

/** A URL that requests on behalf of a customer must not go to. Nothing was sent. */
export class ForbiddenTargetError extends FairlaneError {
  readonly [CLASSIFICATION]: Classification;

  constructor(reason: string) {
    super('forbidden_target', reason);
    this[CLASSIFICATION] = { class: 'permanent', code: 'rejected', reason, applied: 'no' };
  }
}
