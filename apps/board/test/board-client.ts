/** A visitor of the board over HTTP, with a jar for its cookies. */
export class BoardClient {
  readonly #base: string;
  readonly #cookies = new Map<string, string>();

  constructor(base: string) {
    this.#base = base;
  }

  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.#cookies.size > 0 && !headers.has('cookie')) headers.set('cookie', this.cookieHeader);
    const response = await fetch(`${this.#base}${path}`, { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=', 2);
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }

  /** A request that changes something, as the board's own pages send it. */
  act(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('x-xsrf-token', this.cookie('XSRF-TOKEN') ?? '');
    return this.request(path, { ...init, method, headers });
  }

  logIn(user: string, password: string, fields: Record<string, string> = {}): Promise<Response> {
    return this.request('/login', {
      method: 'POST',
      body: new URLSearchParams({ user, password, ...fields }),
    });
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name);
  }

  get cookieHeader(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}
