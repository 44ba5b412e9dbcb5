export { startFaultProxy, type FaultProxy, type FaultProxyOptions, type StoppedLink } from './fault-proxy.js';
export type { Direction } from './link.js';
