import { Command, InvalidArgumentError } from 'commander';

export interface BenchOptions {
  readonly quick: boolean;
  /** Names of figures; undefined for all. */
  readonly only: readonly string[] | undefined;
  readonly trace: string | undefined;
  readonly json: string | undefined;
}

/** `names` are the figures there are; another one in `--only` is refused with the list. */
export function parseOptions(argv: readonly string[], names: readonly string[]): BenchOptions {
  const command = new Command('bench')
    .description('Measures Fairlane against bare BullMQ and its peers on this machine.')
    .option('--quick', 'small sizes: shows that everything works, not what the figures are', false)
    .option('--only <names>', 'comma-separated figures', (value) => splitNames(value, names))
    .option('--trace <file>', 'CSV `minute,account,jobs` for the benchmarks that replay a day')
    .option('--json <file>', 'where the figures go; without it they go to stdout')
    .allowExcessArguments(false)
    // Throws a CommanderError, with the message already printed, where it would end the process.
    .exitOverride()
    .addHelpText('after', `\nFigures:\n  ${names.join('\n  ')}`);
  command.parse([...argv], { from: 'user' });
  const { quick, only, trace, json } = command.opts<{
    quick: boolean;
    only?: string[];
    trace?: string;
    json?: string;
  }>();
  return { quick, only, trace, json };
}

function splitNames(value: string, names: readonly string[]): string[] {
  const wanted = value.split(',').map((name) => name.trim());
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(
      `no figure is named ${unknown.join(', ')}. There are: ${names.join(', ')}`,
    );
  }
  return wanted;
}
