import { navigate, usePathname, useSearch } from 'wouter/use-browser-location';

/** Path the console is served under, with a slash at its end. */
const base = new URL(document.baseURI).pathname;

export type PageName = 'overview' | 'accounts' | 'jobs' | 'dead-letters' | 'workers';

export interface Place {
  page: PageName | 'unknown';
  /** Of the one thing the page is about. */
  id?: string;
}

/**
 * Read from the raw path: a router's decoding would turn an id that holds `%2F` or a slash into another one.
 */
export function placeOf(pathname: string): Place {
  if (!pathname.startsWith(base)) return { page: 'unknown' };
  const [first = '', second, ...rest] = pathname.slice(base.length).split('/');
  if (rest.length > 0) return { page: 'unknown' };
  if (first === '') return second === undefined ? { page: 'overview' } : { page: 'unknown' };
  if (!isPage(first)) return { page: 'unknown' };
  const id = second === undefined || second === '' ? undefined : decode(second);
  return id === undefined ? { page: first } : { page: first, id };
}

function isPage(text: string): text is PageName {
  return ['accounts', 'jobs', 'dead-letters', 'workers'].includes(text);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function usePlace(): Place {
  return placeOf(usePathname());
}

export type Query = Record<string, string | undefined>;

/** Address of a page within the console, with its filters. */
export function hrefOf(page: PageName, id?: string, query: Query = {}): string {
  const path = page === 'overview' ? '' : page;
  const tail = id === undefined ? '' : `/${encodeURIComponent(id)}`;
  return `${base}${path}${tail}${searchOf(query)}`;
}

function searchOf(query: Query): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') params.set(name, value);
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** Path of the API, its parts encoded. */
export function apiPath(parts: readonly string[], query: Query = {}): string {
  return `v1/${parts.map(encodeURIComponent).join('/')}${searchOf(query)}`;
}

export function go(href: string, options?: { replace: boolean }): void {
  navigate(href, options);
}

/** The filters in the address: a shared link shows the same. Changing them replaces history, paging pushes it. */
export function useFilters<const K extends string>(names: readonly K[]) {
  const params = new URLSearchParams(useSearch());
  const filters: Partial<Record<K, string>> = {};
  for (const name of names) {
    const value = params.get(name);
    if (value !== null && value !== '') filters[name] = value;
  }
  return { filters, change: changeFilters };
}

function changeFilters(patch: Query, { push = false } = {}): void {
  const merged = { ...Object.fromEntries(new URLSearchParams(location.search)), ...patch };
  go(`${location.pathname}${searchOf(merged)}`, { replace: !push });
}
