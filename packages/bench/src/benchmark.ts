/** What a benchmark is given; see `docs/performance.md` for what each one measures. */
export interface BenchContext {
  /** Smaller sizes and fewer pairs: shows that a benchmark works, not what its figure is. */
  readonly quick: boolean;
  /** CSV `minute,account,jobs`; benchmarks that replay a day make one up without it. */
  readonly trace: string | undefined;
  /** Progress for a person, never a result. */
  readonly say: (line: string) => void;
}

export interface Benchmark {
  /** The figures it yields; several where one run measures them together. */
  readonly names: readonly string[];
  run(context: BenchContext, wanted: ReadonlySet<string>): Promise<Record<string, number>>;
}

/** How much of everything: full size, or just enough to see that the benchmark works. */
export interface Scale {
  readonly jobs: number;
  readonly warmUpJobs: number;
  readonly pairs: number;
}

export function scaleOf(context: BenchContext): Scale {
  return context.quick
    ? { jobs: 4_000, warmUpJobs: 1_000, pairs: 3 }
    : { jobs: 30_000, warmUpJobs: 5_000, pairs: 7 };
}
