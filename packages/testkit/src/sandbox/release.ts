/** Told to the sandbox by its parent: outlive me. The sandbox repeats it when it has understood. */
export const RELEASE = 'release';
