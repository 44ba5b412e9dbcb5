import { Problem } from './problems.js';
import type { Route } from './route.js';

/** What a request meets at its path: a route, or routes of other methods alone. */
export type Found =
  | { readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly others: readonly Route[] };

/** The routes of one path, by method. */
interface Place {
  readonly pattern: RegExp;
  /** Names of the parameters, in the order in which `pattern` finds them. */
  readonly names: readonly string[];
  readonly routes: Map<string, Route>;
}

/**
 * Finds the route of a request by its path, so that a route costs the same wherever it stands: Express tries one after
 * the other. A path without parameters goes before one with them.
 */
export class RouteTable {
  readonly #fixed = new Map<string, Place>();
  readonly #open = new Map<string, Place>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const places = route.path.includes('{') ? this.#open : this.#fixed;
      const place = places.get(route.path) ?? { ...patternOf(route.path), routes: new Map() };
      places.set(route.path, place);
      place.routes.set(route.method.toUpperCase(), route);
    }
  }

  /** Undefined where no route has the path. @throws Problem `invalid_request` for a parameter that is not encoded well. */
  find(method: string, path: string): Found | undefined {
    const wanted = method === 'HEAD' ? 'GET' : method;
    const fixed = this.#fixed.get(path);
    const route = fixed?.routes.get(wanted);
    if (route !== undefined) return { route, params: {} };
    const others = [...(fixed?.routes.values() ?? [])];
    for (const { pattern, names, routes } of this.#open.values()) {
      const match = pattern.exec(path);
      if (match === null) continue;
      const open = routes.get(wanted);
      if (open !== undefined) return { route: open, params: decoded(names, match) };
      others.push(...routes.values());
    }
    return others.length === 0 ? undefined : { others };
  }
}

function patternOf(path: string): Pick<Place, 'pattern' | 'names'> {
  const names: string[] = [];
  const text = path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, (_braces, name: string) => {
    names.push(name);
    return '([^/]+)';
  });
  return { pattern: new RegExp(`^${text}$`), names };
}

/** @param match the path, then a text for each name. */
function decoded(names: readonly string[], match: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  try {
    for (const [at, name] of names.entries()) params[name] = decodeURIComponent(match[at + 1] as string);
  } catch (cause) {
    throw new Problem('invalid_request', { cause });
  }
  return params;
}
