/** The gateway's address, without slashes at its end. Throws a `TypeError` that says what is wrong with it. */
export function readAddress(given: string | URL): string {
  const baseUrl: unknown = given instanceof URL ? given.href : given;
  if (typeof baseUrl !== "string") {
    throw new TypeError(`baseUrl must be an address such as "https://gateway.example", not ${String(baseUrl)}.`);
  }
  const address = baseUrl.trim().replace(/\/+$/, "");
  const url = parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(`baseUrl ${JSON.stringify(baseUrl)} must begin with http:// or https://, as https://gateway.example does.`);
  }
  if (url.search || url.hash) {
    throw new TypeError(`baseUrl ${JSON.stringify(baseUrl)} must end before its "?" or "#".`);
  }
  if (/\/api\/v1$/.test(url.pathname)) {
    const right = address.replace(/\/api\/v1$/, "");
    throw new TypeError(`baseUrl ${JSON.stringify(baseUrl)} must not have "/api/v1" at its end: use ${JSON.stringify(right)}.`);
  }
  return address;
}

function parse(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

/** What to do about an answer that is not the gateway's. */
export function describeStranger(response: Response, url: string): string {
  const isElsewhere = response.status < 400 || [404, 405, 410].includes(response.status);
  if (!isElsewhere) return response.statusText || "The answer is not one of the gateway's.";
  const { origin, pathname } = new URL(url);
  const base = origin + pathname.slice(0, Math.max(0, pathname.lastIndexOf("/api/v1/")));
  return `What answers at ${base} is not the gateway's API: check baseUrl.`;
}

/** The sentence with the address that it is about. */
export function atAddress(sentence: string, url: string | undefined): string {
  if (!url) return sentence;
  const { origin, pathname } = new URL(url);
  return `${sentence.replace(/\.$/, "")}: ${origin}${pathname}. Check baseUrl.`;
}

/** Whether a page came in place of an answer, as from a site that has one for every address. */
export function isPage(response: Response): boolean {
  return (response.headers.get("Content-Type") ?? "").startsWith("text/html");
}
