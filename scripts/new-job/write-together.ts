import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const ignore = () => undefined;

/** Files to write: text by path. */
export type Texts = Readonly<Record<string, string>>;

/**
 * Makes a folder with its files and replaces other files, or leaves everything as it was.
 *
 * Each step is a rename of something complete, the folder first, since nothing knows of it until a list names it. What
 * was done is undone when a later step fails. Ctrl-C meanwhile is not heard.
 *
 * @throws what the file system throws, such as EEXIST for a folder that is there.
 */
export function writeTogether(folder: string, files: Texts, replaced: Texts): void {
  const drafts: string[] = [];
  const undo: (() => void)[] = [];
  for (const signal of SIGNALS) process.on(signal, ignore);
  try {
    const draft = `${folder}.${process.pid}.draft`;
    drafts.push(draft);
    mkdirSync(draft);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(draft, name), text);
    for (const [path, text] of Object.entries(replaced)) {
      drafts.push(draftOf(path));
      writeFileSync(draftOf(path), text);
    }

    // Not by the rename alone: it would take the place of an empty folder.
    mkdirSync(folder);
    undo.push(() => rmSync(folder, { recursive: true, force: true }));
    renameSync(draft, folder);
    for (const path of Object.keys(replaced)) {
      const before = readFileSync(path);
      undo.push(() => writeFileSync(path, before));
      renameSync(draftOf(path), path);
    }
  } catch (error) {
    for (const step of undo.toReversed()) step();
    throw error;
  } finally {
    for (const draft of drafts) rmSync(draft, { recursive: true, force: true });
    for (const signal of SIGNALS) process.off(signal, ignore);
  }
}

/** Beside it, so that a rename stays within one file system. */
function draftOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.draft`);
}
