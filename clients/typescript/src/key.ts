/** The key without blanks around it, such as the line break of a file. Throws a `TypeError` that never shows it. */
export function readKey(apiKey: unknown): string {
  if (typeof apiKey !== "string") {
    throw new TypeError(`apiKey must be a string, "hg_…", or a function that returns it, not ${nameOf(apiKey)}.`);
  }
  const key = apiKey.trim();
  if (!key) throw new TypeError('apiKey is empty: give it one of the gateway\'s keys, "hg_…".');
  if (!/^[!-~]+$/.test(key)) throw new TypeError("apiKey has a character that no key has, such as a space.");
  return key;
}

function nameOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}
