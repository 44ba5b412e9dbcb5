export { createProducer, type Producer, type ProducerOptions } from './producer/producer.js';
export type { EnqueueResult } from './producer/enqueue-result.js';
export type { EnqueueOptions } from './producer/schedule.js';
export type { JobView } from './views/job-view.js';
export type { QueueCounts } from './views/queue-counts.js';
export { GenerationMismatchError, InvalidOptionsError, UnavailableError } from './errors.js';
