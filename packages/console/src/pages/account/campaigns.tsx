import type { Job, Page } from '../../api/types.js';
import { formatCount } from '../../format/numbers.js';
import { Link } from '../../frame/link.js';
import { apiPath, hrefOf } from '../../frame/paths.js';
import { useApi } from '../../live/use-api.js';
import { TableBox } from '../../parts/table.js';
import { Ago } from '../../parts/time.js';
import { campaignsOf } from './campaigns-of.js';

/** Counting all jobs of an account by tag would be a scan; its newest tell which campaigns are under way. */
const LOOKED_AT = 200;
const everyMs = 15_000;

export function Campaigns({ account }: { account: string }) {
  const { data } = useApi<Page<Job>>(apiPath(['jobs'], { account, limit: String(LOOKED_AT) }), { everyMs });
  const campaigns = campaignsOf(data?.items ?? []);
  if (campaigns.length === 0) return null;
  return (
    <section aria-labelledby="campaigns">
      <h2 id="campaigns">Campaigns</h2>
      <p className="hint">Among the newest {formatCount(LOOKED_AT)} jobs of this account, by tag.</p>
      <TableBox label="Campaigns">
        <thead>
          <tr>
            <th scope="col">Tag</th>
            <th scope="col" className="number">
              Waiting
            </th>
            <th scope="col" className="number">
              Running
            </th>
            <th scope="col" className="number">
              Completed
            </th>
            <th scope="col" className="number">
              Dead
            </th>
            <th scope="col">Newest job</th>
          </tr>
        </thead>
        <tbody>
          {campaigns.map((one) => (
            <tr key={one.tag}>
              <th scope="row">
                <Link href={hrefOf('jobs', undefined, { account, tag: one.tag })}>{one.tag}</Link>
              </th>
              <td className="number">{formatCount(one.waiting)}</td>
              <td className="number">{formatCount(one.running)}</td>
              <td className="number">{formatCount(one.completed)}</td>
              <td className="number">{formatCount(one.dead)}</td>
              <td>
                <Ago at={one.newestAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </TableBox>
    </section>
  );
}
