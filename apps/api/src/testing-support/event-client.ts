import { onTestFinished } from 'vitest';
import type { EventData } from '../events/event-stream.js';
import type { ApiUnderTest } from './start-api.js';

export interface EventClient {
  readonly status: number;
  readonly headers: Headers;
  /** What has arrived so far. */
  readonly events: { readonly id: string; readonly data: EventData }[];
  readonly heartbeats: () => number;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Reads `GET /v1/events` until the test ends. */
export async function openEvents(
  api: Pick<ApiUnderTest, 'url' | 'tokens'>,
  { token = api.tokens.operator, lastEventId }: { token?: string; lastEventId?: string } = {},
): Promise<EventClient> {
  const controller = new AbortController();
  const response = await fetch(`${api.url}/v1/events`, {
    signal: controller.signal,
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  });
  const events: EventClient['events'] = [];
  let beats = 0;
  const take = (block: string): void => {
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (block === ':') beats += 1;
    if (data === undefined) return;
    events.push({ id: /^id: (.*)$/m.exec(block)?.[1] ?? '', data: JSON.parse(data) as EventData });
  };
  const ended = read(response, take).catch(() => undefined);
  onTestFinished(() => controller.abort());
  const { status, headers } = response;
  return { status, headers, events, heartbeats: () => beats, ended, close: () => controller.abort() };
}

async function read(response: Response, take: (block: string) => void): Promise<void> {
  let text = '';
  if (response.body === null) return;
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) take(block);
  }
}
