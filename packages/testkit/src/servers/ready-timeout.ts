/** How long a server may take until it can be used, ms: on a busy machine the start of a process alone takes seconds. */
export const READY_TIMEOUT_MS = 60_000;
