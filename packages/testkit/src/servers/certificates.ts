import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Certificates {
  /** Of an authority that nobody trusts by itself. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Files of a certificate for 127.0.0.1, good for two days, and of the authority that signed it; made by `openssl`. */
export async function makeCertificates(dir: string): Promise<Certificates> {
  const at = (name: string): string => join(dir, name);
  const openssl = async (...args: string[]): Promise<unknown> => run('openssl', args, { cwd: dir });
  const request = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await openssl(
    ...request,
    '-x509',
    '-days',
    '2',
    '-subj',
    '/CN=Test CA',
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.crt'),
  );
  await openssl(...request, '-subj', '/CN=127.0.0.1', '-keyout', at('server.key'), '-out', at('server.csr'));
  await writeFile(at('server.ext'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  const authority = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial'];
  await openssl(
    'x509',
    '-req',
    '-days',
    '2',
    '-in',
    at('server.csr'),
    ...authority,
    '-extfile',
    at('server.ext'),
    '-out',
    at('server.crt'),
  );
  return { ca: at('ca.crt'), cert: at('server.crt'), key: at('server.key') };
}

/** Whether this machine has what `makeCertificates` needs. */
export async function hasOpenssl(): Promise<boolean> {
  return run('openssl', ['version']).then(
    () => true,
    () => false,
  );
}
