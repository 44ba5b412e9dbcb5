import { writeFile } from 'node:fs/promises';

import { CommanderError } from 'commander';

import { benchmarks } from './benchmarks.js';
import { describeMachine, hardware } from './machine.js';
import { parseOptions, type BenchOptions } from './options.js';

const names = benchmarks.flatMap((benchmark) => benchmark.names);
const options = optionsOrExit();
const wanted = new Set(options.only ?? names);

const machine = await describeMachine();
console.error(
  `Node ${machine.node}, Redis ${machine.redis}, bullmq ${machine.bullmq}, ` +
    `${machine.cpus} CPUs (${hardware()})`,
);

const results: Record<string, number> = {};
for (const benchmark of benchmarks) {
  const selected = new Set(benchmark.names.filter((name) => wanted.has(name)));
  if (selected.size === 0) continue;
  const label = [...selected].join(', ');
  console.error(`\n${label}`);
  try {
    const context = {
      quick: options.quick,
      trace: options.trace,
      say: (line: string) => console.error(`  ${line}`),
    };
    for (const [name, value] of Object.entries(await benchmark.run(context, selected))) {
      if (!selected.has(name)) continue;
      results[name] = value;
      console.error(`  ${name} = ${value}`);
    }
  } catch (error) {
    // The others are still worth having, but a run with a hole in it must not look complete.
    console.error(`  ${label}: no figure`, error);
    process.exitCode = 1;
  }
}

const report = `${JSON.stringify({ ...machine, results }, undefined, 2)}\n`;
if (options.json === undefined) process.stdout.write(report);
else await writeFile(options.json, report);

function optionsOrExit(): BenchOptions {
  try {
    return parseOptions(process.argv.slice(2), names);
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode);
    throw error;
  }
}
