// Starts Swagger UI on the API's description.
"use strict";

// Swagger UI reads a whole description anew, and resolves all of it, for each part that it shows.
// For ours that is seconds: it gets the part, and what that refers to.
function excerpt(description, path) {
  const {paths, webhooks, components, ...kept} = description;
  const keep = (keys) => {
    const value = keys.reduce((from, key) => from?.[key], description);
    const parent = keys.slice(0, -1).reduce((into, key) => into[key] ??= {}, kept);
    if (value === undefined || parent[keys.at(-1)] === value) return;
    parent[keys.at(-1)] = value;
    JSON.stringify(value, (_, inner) => {
      if (typeof inner === "string" && inner.startsWith("#/")) keep(inner.slice(2).split("/"));
      return inner;
    });
  };
  keep(path.slice(0, path[0] === "components" ? 3 : 2));
  return kept;
}
const readExcerpts = () => ({
  afterLoad({fn}) {
    const {resolveSubtree} = fn;
    fn.resolveSubtree = (description, path, ...more) =>
      resolveSubtree(excerpt(description, path), path, ...more);
  },
});
// the bundled stylesheet has dark colors for this class alone
const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followScheme);
followScheme();

const here = new URL(".", location.href).href.replace(/[/]$/, "");
let server = here;
// requests go to where this page is from: its policy allows no other address
SwaggerUIBundle({
  responseInterceptor(response) {
    if (response.url.endsWith("/openapi.json") && response.obj?.servers) {
      server = new URL(response.obj.servers[0].url, response.url).href.replace(/[/]$/, "");
    }
    return response;
  },
  requestInterceptor(request) {
    if (request.url.startsWith(`${server}/`)) request.url = here + request.url.slice(server.length);
    return request;
  },
  url: "openapi.json",
  dom_id: "#swagger-ui",
  plugins: [readExcerpts],
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
