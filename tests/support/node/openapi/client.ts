// What a customer writes against the types that are made of the description. Arguments: the
// gateway's address, a phone number. The key is in API_KEY.

import createClient from "openapi-fetch";

import type { components, paths, webhooks } from "./described.js";
import { tell, tellByHey } from "./events.js";

declare const process: { argv: string[]; env: Record<string, string> };

type Schemas = components["schemas"];
type Posted<T extends keyof webhooks> =
  webhooks[T]["post"]["requestBody"]["content"]["application/json"];

// a word that was added later is a string like any other
const later: Schemas["ErrorBody"] = { detail: "Wait.", code: "added_later", retry_after: 5 };
const states: [
  Schemas["MessageStatus"],
  Schemas["MessageDirection"],
  Schemas["MessageType"],
  Schemas["ChatType"],
  Schemas["DeviceStatus"],
] = ["added_later", "added_later", "added_later", "added_later", "added_later"];

// what is posted is told apart by its type
function tellPosted(
  event: Posted<"message.received"> | Posted<"message.read"> | Posted<"device.connected">,
): string {
  switch (event.type) {
    case "message.received":
      return event.data.button?.id ?? event.data.content;
    case "message.read":
      return event.data.run_id ?? "";
    case "device.connected":
      return event.data.session_name;
  }
}

const [, , baseUrl, phone_number] = process.argv;
const headers = { Authorization: `Bearer ${process.env.API_KEY}` };
// of what comes as JSON or in another form, this client reads JSON
const client = createClient<paths, "application/json">({ baseUrl, headers });

const sent = await client.POST("/api/v1/messages/send/interactive/buttons", {
  body: { phone_number, body: "Shall we?", buttons: [{ id: "yes", title: "Yes" }] },
});
const read = await client.GET("/api/v1/messages/{message_id}", {
  params: { path: { message_id: sent.data!.message_id } },
});
const devices = await client.GET("/api/v1/devices", { params: { query: { limit: 1 } } });
const missing = await client.GET("/api/v1/messages/{message_id}", {
  params: { path: { message_id: "01939b1e-7c3a-7b6e-9d5f-2f7a3c1e8b40" } },
});
const logged = await client.GET("/api/v1/events", {
  params: { query: { after: "oldest", types: "message.sent", wait: 30 } },
});
const [event] = logged.data!.events;
const addedLater = { ...event, type: "added.later" } as unknown as Schemas["LoggedEvent"];
const error = missing.error as Schemas["ErrorBody"];
const [device] = devices.data!.devices;

console.log(
  JSON.stringify({
    sent: sent.data!.status,
    content: read.data!.content,
    device: tellPosted({
      type: "device.connected",
      timestamp: device.created_at,
      data: { ...device, reason: null },
    }),
    event: tell(event) === `${event.id} sent Shall we?` && tell(event) === tellByHey(event),
    eventAddedLater: tell(addedLater),
    missing: error.code,
    later: [later.code, ...states],
  }),
);
