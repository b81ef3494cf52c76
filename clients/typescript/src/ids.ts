const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Refuse a malformed id in the address: it would make the address of something else. */
export async function checkIds(call: unknown): Promise<void> {
  const { path = {} } = call as { path?: object };
  for (const [name, value] of Object.entries(path)) {
    if (name.endsWith("_id") && !(typeof value === "string" && UUID.test(value))) {
      throw new TypeError(`${name}: ${JSON.stringify(value)} is not an id of the gateway: its ids are UUIDs.`);
    }
  }
}
