import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface ConsoleFile {
  body: Buffer;
  /** Smaller, for browsers that take it: all do. */
  gzipped: Buffer;
}

export interface ConsoleFiles {
  /** The page that holds all pages, before what a request adds to it. */
  indexHtml: string;
  /** By path below the root, such as `assets/index-B1c2.js`. Their names change with what is in them. */
  assets: ReadonlyMap<string, ConsoleFile>;
}

/** Reads the built console once: less than half a megabyte, so nothing is read or compressed per request. */
export function readConsoleFiles(): ConsoleFiles {
  const index = createRequire(import.meta.url).resolve('@fairlane/console/index.html');
  const folder = dirname(index);
  const assets = new Map<string, ConsoleFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || path === index) continue;
    const body = readFileSync(path);
    assets.set(relative(folder, path).replaceAll('\\', '/'), { body, gzipped: gzipSync(body, { level: 9 }) });
  }
  return { indexHtml: readFileSync(index, 'utf8'), assets };
}
