/** What a job is called in code. */
export interface JobNames {
  /** `billing.charge` */
  readonly job: string;
  /** `billing-charge` */
  readonly folder: string;
  /** `billingCharge` */
  readonly contract: string;
  /** `BillingCharge` */
  readonly type: string;
  /** `createBillingCharge` */
  readonly factory: string;
  /** `charge`: what its one effect is called. */
  readonly effect: string;
}

/** Names made of a job's name, which is of the right form. */
export function jobNames(job: string): JobNames {
  const words = job.split(/[._-]/);
  const type = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return {
    job,
    folder: words.join('-'),
    contract: type.charAt(0).toLowerCase() + type.slice(1),
    type,
    factory: `create${type}`,
    effect: job.slice(job.lastIndexOf('.') + 1),
  };
}
