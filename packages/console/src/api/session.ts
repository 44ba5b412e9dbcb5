export type Role = 'viewer' | 'operator';

/** What the board says of the log-in and of itself; it stands in the page. */
export interface Session {
  deployment: string;
  user: string;
  role: Role;
}

export function readSession(): Session {
  const content = document.querySelector<HTMLMetaElement>('meta[name=fairlane]')?.content ?? '{}';
  return { deployment: '', user: '', role: 'viewer', ...(JSON.parse(content) as Partial<Session>) };
}

export const session = readSession();
export const isOperator = session.role === 'operator';
