// How a customer tells events and contents apart, with the types of both generators. That it
// compiles is the test: after a comparison with a word, one member is left.

import type { components } from "./described.js";
import type * as hey from "./hey/index.js";

type Schemas = components["schemas"];

export function tell(event: Schemas["LoggedEvent"]): string {
  switch (event.type) {
    case "message.received":
      return event.data.button?.id ?? event.data.content;
    case "message.sent":
      return `${event.id} sent ${event.data.content}`;
    case "device.connected":
      // @ts-expect-error: that is a member of messages
      return event.data.content;
    default:
      return `another: ${event.type}`;
  }
}

export function tellByHey(event: hey.LoggedEvent): string {
  switch (event.type) {
    case "message.received":
      return event.data.button?.id ?? event.data.content;
    case "message.sent":
      return `${event.id} sent ${event.data.content}`;
    case "device.connected":
      // @ts-expect-error: that is a member of messages
      return event.data.content;
    default:
      return `another: ${event.type}`;
  }
}

// one function for what is posted and what is read: an event of the log is a posted one with an id
export const posted = (event: hey.LoggedMessageReceivedEvent): hey.MessageReceivedEvent => event;

export function say(content: Schemas["TypedContent"]): string {
  switch (content.type) {
    case "location":
      return `${content.latitude} ${content.longitude}`;
    case "list_reply":
      return content.id;
    default:
      return content.type;
  }
}

// what is sent is told apart, too, and what may be left out is left out
export const texts: [hey.ContentInput, Schemas["ContentInput"]] = [
  { type: "text", body: "Hi" },
  { type: "text", body: "Hi" },
];
// @ts-expect-error: a place has no body
export const place: hey.ContentInput = { type: "location", body: "Hi" };
// @ts-expect-error: a place has no body
export const elsewhere: Schemas["ContentInput"] = { type: "location", body: "Hi" };
