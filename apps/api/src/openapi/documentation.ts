import type { Catalogue } from '@fairlane/sdk';
import type { Route } from '../http/route.js';
import { buildDocument } from './build-document.js';
import { renderDocs } from './docs-page.js';
import type { OpenApiDocument } from './document.js';

/** What the API says of itself. Made when it is first asked for: more than half of a start would be spent on it. */
export class Documentation {
  readonly #routes: readonly Route[];
  readonly #catalogue: Catalogue;
  #document: OpenApiDocument | undefined;
  #page: string | undefined;

  constructor(routes: readonly Route[], catalogue: Catalogue) {
    this.#routes = routes;
    this.#catalogue = catalogue;
  }

  get document(): OpenApiDocument {
    this.#document ??= buildDocument(this.#routes, this.#catalogue);
    return this.#document;
  }

  /** The document as HTML. */
  get page(): string {
    this.#page ??= renderDocs(this.document);
    return this.#page;
  }
}
