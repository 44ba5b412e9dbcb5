import { Link } from '../frame/link.js';
import { hrefOf } from '../frame/paths.js';

/** What a row of a list of jobs is about; Enter on the row follows the link. */
export function JobName({ id, name }: { id: string; name: string }) {
  return (
    <>
      <Link data-row href={hrefOf('jobs', id)}>
        {name}
      </Link>{' '}
      <span className="id">{id}</span>
    </>
  );
}
