/** The order in which things stop, last first: nothing loses what it depends on while it still runs. */
export const STAGES = ['store', 'sandbox', 'front', 'worker'] as const;
export type Stage = (typeof STAGES)[number];

export interface RunningService {
  readonly name: string;
  readonly pid: number;
  stop(): Promise<void>;
  release(): void;
}

export class RunningServices {
  readonly #byStage: Record<Stage, Set<RunningService>> = {
    store: new Set(),
    sandbox: new Set(),
    front: new Set(),
    worker: new Set(),
  };
  #stopping = false;

  /** Once stopping has begun, a late arrival is stopped at once. */
  async add(stage: Stage, service: RunningService): Promise<void> {
    if (this.#stopping) {
      await service.stop();
      throw new Error(`${service.name} came up while everything was being stopped`);
    }
    this.#byStage[stage].add(service);
  }

  remove(stage: Stage, service: RunningService): void {
    this.#byStage[stage].delete(service);
  }

  /** Whether an end of this service comes as a surprise. */
  expects(service: RunningService): boolean {
    return !this.#stopping && STAGES.some((stage) => this.#byStage[stage].has(service));
  }

  /** In the order to stop them. */
  list(): RunningService[] {
    return STAGES.toReversed().flatMap((stage) => [...this.#byStage[stage]]);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    for (const stage of STAGES.toReversed()) {
      await Promise.all([...this.#byStage[stage]].map((service) => service.stop()));
    }
  }

  release(): void {
    for (const service of this.list()) service.release();
  }
}
