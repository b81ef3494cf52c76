// A client of the tool server, driven from outside: a line of JSON on standard input is a request,
// `{"method", "params"}`, a line on standard output its outcome, `{"result"}` or `{"error"}`.
// Arguments: the SDK (v1, v2), the server's URL. The key is in HELIOGRAPH_API_KEY.

import { createInterface } from "node:readline";

const [sdk, url] = process.argv.slice(2);

const connect = {
  async v1() {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StreamableHTTPClientTransport } = await import(
      "@modelcontextprotocol/sdk/client/streamableHttp.js"
    );
    return start(new Client({ name: "test", version: "1" }), StreamableHTTPClientTransport);
  },
  async v2() {
    const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    const options = { versionNegotiation: { mode: "auto" } };
    return start(new Client({ name: "test", version: "2" }, options), StreamableHTTPClientTransport);
  },
};

async function start(client, Transport) {
  const headers = { "service-api-key": process.env.HELIOGRAPH_API_KEY };
  await client.connect(new Transport(new URL(url), { requestInit: { headers } }));
  return client;
}

const METHODS = ["listTools", "callTool", "listResources", "readResource", "listPrompts", "getPrompt"];

async function answer({ method, params }) {
  try {
    if (!METHODS.includes(method)) throw new Error(`no such method: ${method}`);
    return { result: await client[method](params) };
  } catch (error) {
    const { name, message, code, data } = error;
    return { error: { name, message, code, data } };
  }
}

const client = await connect[sdk]();
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}
await client.close();
