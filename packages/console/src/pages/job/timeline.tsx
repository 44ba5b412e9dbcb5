import type { Job } from '../../api/types.js';
import { Moment } from '../../parts/time.js';
import { timelineOf } from './timeline-of.js';

export function Timeline({ job }: { job: Job }) {
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      <p className="hint">The latest first.</p>
      <ol className="timeline">
        {timelineOf(job).map(({ at, what }) => (
          <li key={`${at} ${what}`}>
            <Moment at={at} /> <span>{what}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
