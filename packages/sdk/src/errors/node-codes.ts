import type { Applied, Classification, ErrorCode } from './classification.js';

type Row = readonly [code: ErrorCode, applied: Applied, reason: string];

const NOT_CONNECTED: Row = ['connect_failed', 'no', 'the outside could not be reached'];
const NAME_NOT_FOUND: Row = ['connect_failed', 'no', 'the name of the outside could not be resolved'];
const NOT_TRUSTED: Row = ['connect_failed', 'no', 'the certificate of the outside is not trusted'];
const CUT: Row = ['connection_lost', 'unknown', 'the connection was lost before the answer was complete'];
const TIMEOUT: Row = ['timeout', 'unknown', 'the outside did not answer in time'];
const CONNECT_TIMEOUT: Row = ['timeout', 'no', 'the outside did not accept the connection in time'];
const ABORTED: Row = ['aborted', 'unknown', 'the call was aborted'];
const CONFLICT: Row = ['transaction_conflict', 'no', 'the database rolled the transaction back'];

/** Error codes of Node, undici, OpenSSL and Postgres (SQLSTATE). Not listed: no opinion. */
const CODES: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['ECONNREFUSED', NOT_CONNECTED],
  ['ENOTFOUND', NAME_NOT_FOUND],
  ['EAI_AGAIN', NAME_NOT_FOUND],
  ['UND_ERR_CONNECT_TIMEOUT', CONNECT_TIMEOUT],
  ['CERT_HAS_EXPIRED', NOT_TRUSTED],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', NOT_TRUSTED],
  ['SELF_SIGNED_CERT_IN_CHAIN', NOT_TRUSTED],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', NOT_TRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', NOT_TRUSTED],
  ['ERR_TLS_CERT_ALTNAME_INVALID', NOT_TRUSTED],
  ['ECONNRESET', CUT],
  ['EPIPE', CUT],
  ['EHOSTUNREACH', CUT],
  ['ENETUNREACH', CUT],
  ['EHOSTDOWN', CUT],
  ['ENETDOWN', CUT],
  ['EADDRNOTAVAIL', CUT],
  ['UND_ERR_SOCKET', CUT],
  ['UND_ERR_DESTROYED', CUT],
  ['UND_ERR_CLOSED', CUT],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', CUT],
  ['ERR_STREAM_PREMATURE_CLOSE', CUT],
  ['EPROTO', CUT],
  ['ETIMEDOUT', TIMEOUT],
  ['ESOCKETTIMEDOUT', TIMEOUT],
  ['ECONNABORTED', TIMEOUT],
  ['UND_ERR_HEADERS_TIMEOUT', TIMEOUT],
  ['UND_ERR_BODY_TIMEOUT', TIMEOUT],
  ['ABORT_ERR', ABORTED],
  ['UND_ERR_ABORTED', ABORTED],
  ['08001', NOT_CONNECTED],
  ['08004', NOT_CONNECTED],
  ['53300', NOT_CONNECTED],
  ['08000', CUT],
  ['08003', CUT],
  ['08006', CUT],
  ['40003', CUT],
  ['57P01', CUT],
  ['57P02', CUT],
  ['57P03', NOT_CONNECTED],
  ['55P03', CONFLICT],
  ['40001', CONFLICT],
  ['40P01', CONFLICT],
]);

/** Classification of an error code, or undefined where the code says nothing. */
export function classifyNodeCode(nodeCode: string, syscall: unknown): Classification | undefined {
  const row = CODES.get(nodeCode) ?? (/^(?:HPE|ERR_SSL)_/.test(nodeCode) ? CUT : undefined);
  if (row === undefined) return undefined;
  const [code, applied, reason] = syscall === 'connect' ? whileConnecting(row) : row;
  return { class: 'retryable', code, reason: `${reason} (${nodeCode})`, applied };
}

/** A socket that never connected has carried nothing, whatever it failed with. */
function whileConnecting(row: Row): Row {
  if (row === CUT) return NOT_CONNECTED;
  return row === TIMEOUT ? CONNECT_TIMEOUT : row;
}
