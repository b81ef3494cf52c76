// An OpenID Connect provider of somebody else's making. Its one argument is JSON: port, algorithm,
// client (id, secret, redirect addresses), the people there are, whether it has a sign-out, and whether
// it is strict: requests have to be pushed to it, and what it says of people is signed.
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const { port, algorithm, client, people, signsOut, strict } = JSON.parse(process.argv[2]);
const server = createServer();
await new Promise((listening) => server.listen(port, "127.0.0.1", listening));
const issuer = `http://127.0.0.1:${server.address().port}`;

// as a text first: Node locks up when it clears away the job that made a key while it exports that key
const encoding = {
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
};
const made =
  algorithm === "ES256"
    ? generateKeyPairSync("ec", { namedCurve: "P-256", ...encoding })
    : generateKeyPairSync("rsa", { modulusLength: 2048, ...encoding });
const privateKey = createPrivateKey(made.privateKey);

const provider = new Provider(issuer, {
  clients: [
    {
      ...client,
      id_token_signed_response_alg: algorithm,
      ...(strict && { userinfo_signed_response_alg: algorithm }),
    },
  ],
  jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: algorithm }] },
  enabledJWA: { idTokenSigningAlgValues: [algorithm], userinfoSigningAlgValues: [algorithm] },
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
  cookies: { keys: ["for tests alone"] },
  pkce: { required: () => true },
  features: {
    devInteractions: { enabled: false },
    rpInitiatedLogout: { enabled: signsOut },
    jwtUserinfo: { enabled: strict },
    pushedAuthorizationRequests: { enabled: strict, requirePushedAuthorizationRequests: strict },
  },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_, id) => people[id] && { accountId: id, claims: () => ({ sub: id, ...people[id] }) },
  loadExistingGrant: async ({ oidc }) => {
    const known = oidc.session.grantIdFor(oidc.client.clientId);
    if (known) return oidc.provider.Grant.find(known);
    const grant = new oidc.provider.Grant({
      clientId: oidc.client.clientId,
      accountId: oidc.session.accountId,
    });
    grant.addOIDCScope("openid email profile");
    await grant.save();
    return grant;
  },
});

async function read(request) {
  let body = "";
  for await (const part of request) body += part;
  return new URLSearchParams(body);
}

async function interact(request, response) {
  if (request.method === "GET") {
    response.end("Who are you?");
    return;
  }
  const form = await read(request);
  const result = form.get("login")
    ? { login: { accountId: form.get("login") } }
    : { error: "access_denied", error_description: "somebody changed their mind" };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

const callback = provider.callback();
server.on("request", (request, response) => {
  const handler = request.url.startsWith("/interaction/") ? interact : callback;
  Promise.resolve(handler(request, response)).catch((error) => {
    response.statusCode = 500;
    response.end(String(error));
  });
});
console.log(issuer);
