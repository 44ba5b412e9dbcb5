import { formatAbsolute, formatDuration, formatRelative, formatUpcoming } from '../format/times.js';
import { useNow } from '../live/use-now.js';

/** `3 min ago`; hovering and screen readers get the moment itself. */
export function Ago({ at }: { at: string | null | undefined }) {
  const now = useNow();
  if (at === null || at === undefined) return <>-</>;
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={formatAbsolute(ms)}>
      {formatRelative(ms, now)}
    </time>
  );
}

/** `in 12 s` */
export function Upcoming({ at }: { at: string | null | undefined }) {
  const now = useNow();
  if (at === null || at === undefined) return <>-</>;
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={formatAbsolute(ms)}>
      {formatUpcoming(ms, now)}
    </time>
  );
}

/** `30 Nov 2026, 14:03:11 CET` */
export function Moment({ at, zone }: { at: string | null | undefined; zone?: string | undefined }) {
  if (at === null || at === undefined) return <>-</>;
  return <time dateTime={at}>{formatAbsolute(Date.parse(at), zone)}</time>;
}

/** An age as the server told it, growing until it tells the next. */
export function Age({ ms, readAt }: { ms: number | null | undefined; readAt: number }) {
  const now = useNow();
  if (ms === null || ms === undefined) return <>-</>;
  return <>{formatDuration(ms + Math.max(0, now - readAt))}</>;
}
