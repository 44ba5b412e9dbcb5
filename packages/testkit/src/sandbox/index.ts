export { accountName, campaignAccounts, powerLawShares, type CampaignOptions } from './campaign-accounts.js';
export type {
  AccountKind,
  AccountPatchInput,
  AccountView,
  FaultsInput,
  Message,
  RateLimit,
  ReferenceReport,
  SandboxReport,
} from './protocol.js';
export { canOnlyEndDead } from './reference-book.js';
export { connectSandbox, startSandbox, type Sandbox, type SandboxOptions } from './start-sandbox.js';
