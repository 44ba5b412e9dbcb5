import { Link } from '../frame/link.js';
import { hrefOf } from '../frame/paths.js';

/** Jobs that name no account share a lane, which is no account to look at. */
export function AccountLink({ account }: { account: string }) {
  return account === '' ? <>-</> : <Link href={hrefOf('accounts', account)}>{account}</Link>;
}
