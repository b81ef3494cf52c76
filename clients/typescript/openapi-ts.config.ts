import { defineConfig } from "@hey-api/openapi-ts";

export default defineConfig({
  input: "../openapi.json",
  output: {
    path: "src/generated",
    module: { extension: ".js" },
    header: "// Generated from ../openapi.json by `npm run generate`: do not edit.\n/* eslint-disable */",
  },
  logs: { file: false },
  parser: {
    patch: {
      // The client sends the key. As a parameter of each call, it would invite to send another.
      operations: (_method, _path, operation) => {
        operation.parameters = operation.parameters?.filter(
          (parameter) => !("name" in parameter && parameter.name === "Authorization"),
        );
      },
    },
  },
  plugins: [
    "@hey-api/typescript",
    { name: "@hey-api/client-fetch", throwOnError: true, baseUrl: false },
    {
      name: "@hey-api/sdk",
      client: false,
      responseStyle: "data",
      operations: { strategy: "single", containerName: "Operations", methods: "instance" },
    },
  ],
});
