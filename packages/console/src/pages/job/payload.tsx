import { useState } from 'react';
import { ApiError, apiUrl, readText } from '../../api/client.js';
import { isOperator } from '../../api/session.js';
import type { Job } from '../../api/types.js';
import { apiPath } from '../../frame/paths.js';

/** More is for a file: a browser that lays out megabytes of text stands still. */
const SHOWN_BYTES = 100 * 1024;

type Read = { text: string; whole: boolean } | { error: string } | 'reading';

/** Read on request only, and shown as it came: parsing it would change large numbers. */
export function PayloadSection({ job: { id, queue, readOnly } }: { job: Job }) {
  const [read, setRead] = useState<Read>();
  const path = apiPath(['jobs', id, 'payload'], readOnly === true ? { queue } : {});
  const show = async () => {
    setRead('reading');
    try {
      setRead(await readText(path, SHOWN_BYTES));
    } catch (error) {
      setRead({ error: error instanceof ApiError ? error.message : String(error) });
    }
  };
  return (
    <section aria-labelledby="payload">
      <h2 id="payload">Payload</h2>
      {!isOperator ? (
        <p className="note">Seeing payloads needs the operator role.</p>
      ) : read === undefined || read === 'reading' ? (
        <button type="button" disabled={read === 'reading'} onClick={() => void show()}>
          Show the payload
        </button>
      ) : 'error' in read ? (
        <p className="error">{read.error}</p>
      ) : (
        <>
          {!read.whole && (
            <p>
              These are the first {SHOWN_BYTES / 1024} KB.{' '}
              <a href={apiUrl(path)} download={`${id}.json`}>
                Download all of it
              </a>
            </p>
          )}
          <pre className="payload">{read.text}</pre>
        </>
      )}
    </section>
  );
}
