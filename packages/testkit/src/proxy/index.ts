export { startFaultProxy, type FaultProxy, type StoppedLink } from './fault-proxy.js';
