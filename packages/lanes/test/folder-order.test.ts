import { join } from 'node:path';
import { itKeepsTheOrderOfFolders } from '@fairlane/testkit/vitest';

itKeepsTheOrderOfFolders(join(import.meta.dirname, '..'));
