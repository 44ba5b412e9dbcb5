/** Where an account's webhooks may go. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  /** `whsec_` and base64: what deliveries are signed with. */
  readonly secret: string;
  readonly disabled?: EndpointDisabled;
}

export interface EndpointDisabled {
  /** One sentence for a product screen. */
  readonly reason: string;
  /** ISO time. */
  readonly at: string;
}

/** What `put` came to. `other_account`: the id is another account's, whose endpoint is left alone. */
export type PutEndpointOutcome = 'stored' | 'other_account' | 'url_taken' | 'too_many';

export interface WebhookEndpoints {
  get(id: string): Promise<WebhookEndpoint | undefined>;
  /** The endpoint of an account that has this URL. */
  find(accountId: string, url: string): Promise<WebhookEndpoint | undefined>;
  /** Stores an endpoint, or changes the one of that id. */
  put(endpoint: WebhookEndpoint): Promise<PutEndpointOutcome>;
  /** @returns false when there was none. */
  remove(id: string): Promise<boolean>;
  /** Disables an endpoint for as long as it has this URL. @returns false when there was nothing to do. */
  disable(endpoint: Pick<WebhookEndpoint, 'id' | 'url'>, disabled: EndpointDisabled): Promise<boolean>;
}
