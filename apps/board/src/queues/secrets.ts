export const REDACTED = '[redacted]';
/** Shorter values are too common to look for: masking every "1" would make errors unreadable. */
const minSecretLength = 4;

/** The values that masking took out of a payload, found by comparing it with the masked one. */
export function secretsIn(payload: unknown, masked: unknown): string[] {
  const found = new Set<string>();
  collectDifferences(payload, masked, found);
  // Longest first, so that a secret within another one leaves no rest.
  return [...found].toSorted((a, b) => b.length - a.length);
}

/** Puts a placeholder where one of `secrets` turns up in a text or in any text within a value. */
export function withoutSecrets(value: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0) return value;
  if (typeof value === 'string') {
    return secrets.reduce((text, secret) => text.replaceAll(secret, REDACTED), value);
  }
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, secrets));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, withoutSecrets(item, secrets)]),
    );
  }
  return typeof value === 'number' && secrets.includes(String(value)) ? REDACTED : value;
}

function collectDifferences(payload: unknown, masked: unknown, found: Set<string>): void {
  if (isRecord(payload)) {
    for (const [key, value] of Object.entries(payload)) {
      collectDifferences(
        value,
        isRecord(masked) && Object.hasOwn(masked, key) ? masked[key] : undefined,
        found,
      );
    }
  } else if (payload !== masked && (typeof payload === 'string' || typeof payload === 'number')) {
    const text = String(payload);
    if (text.length >= minSecretLength) found.add(text);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
