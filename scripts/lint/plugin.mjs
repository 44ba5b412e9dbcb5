import { outsideEffects } from './outside-effects.mjs';

/** Rules of this repository for oxlint. */
export default { meta: { name: 'fairlane' }, rules: { 'outside-effects': outsideEffects } };
