import type { Job } from '../api/types.js';
import { Link } from '../frame/link.js';
import { hrefOf } from '../frame/paths.js';

interface JobNameProps {
  job: Pick<Job, 'id' | 'name' | 'queue' | 'readOnly'>;
}

/** What a row of a list of jobs is about; Enter on the row follows the link. */
export function JobName({ job: { id, name, queue, readOnly } }: JobNameProps) {
  return (
    <>
      {/* Other producers' ids are numbers, which begin anew in every queue. */}
      <Link data-row href={hrefOf('jobs', id, readOnly === true ? { queue } : {})}>
        {name}
      </Link>{' '}
      <span className="id">{id}</span>
    </>
  );
}
