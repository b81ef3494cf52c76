// What htmx does not do by itself. The pages work without it.
"use strict";

const PAUSE = 500; // ms within which news cause one fetch: htmx's `throttle` would lose the last
const LEAVING = 10000; // ms without fetches after a form was sent, as it leads elsewhere
const due = new Set(); // "news": of messages; "changes": of how the conversation stands
let waitUntil = 0; // ms since the epoch

function fetchDue() {
  if (document.hidden) return; // a page that nobody looks at has not been read
  if (Date.now() < waitUntil) return;
  for (const what of due) {
    due.delete(what);
    htmx.trigger(document.body, what);
    if (what === "news" && !document.querySelector("#messages[hx-get]")) listAnew();
  }
}

// After the messages beside it, which fetching marks as read: it says how many are unread.
const listAnew = () => htmx.trigger(document.body, "read");

// While nobody looks, the title and the icon say how many are unread.
let count = null;
function countUnread() {
  count ??= setTimeout(() => {
    count = null;
    if (document.hidden && Date.now() >= waitUntil) listAnew();
  }, PAUSE);
}

function hear(what) {
  if (document.hidden) countUnread();
  if (due.has(what)) return;
  due.add(what);
  setTimeout(fetchDue, PAUSE);
}

function isOurs({ target, detail }) {
  const ours = target.dataset.conversation;
  return !ours || !detail.data || detail.data === ours;
}

document.addEventListener("sse:messages", (event) => isOurs(event) && hear("news"));
document.addEventListener("sse:conversations", (event) => isOurs(event) && hear("changes"));
document.addEventListener("sse:devices", () => hear("changes")); // whether answers go out
document.addEventListener("sse:look", () => {
  hear("news"); // what happened before the page listened
  hear("changes");
});
document.addEventListener("visibilitychange", fetchDue);

document.addEventListener("htmx:responseError", ({ detail: { xhr } }) => {
  if (xhr.status !== 429) return;
  due.add("news").add("changes");
  restFor(1000 * (Number(xhr.getResponseHeader("Retry-After")) || 60));
});

// Fetching messages makes them read: not while somebody marks them as unread.
document.addEventListener("submit", (event) => event.defaultPrevented || restFor(LEAVING));

function restFor(time) {
  waitUntil = Math.max(waitUntil, Date.now() + time);
  setTimeout(fetchDue, time + PAUSE);
}

let open = [];
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target } = event.detail;
  open = [...target.querySelectorAll("details[open][id]")].map((each) => each.id);
  if (target.id === "panel" && target.contains(document.activeElement)) {
    event.detail.shouldSwap = false; // somebody is choosing there
    due.add("changes");
  }
});
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  if (event.detail.target.querySelector("details[open]")) event.detail.shouldSwap = false;
});
document.addEventListener("htmx:afterSwap", ({ detail: { target } }) => {
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  if (target.id === "messages") listAnew();
  if (target.id === "selection") document.getElementById("text").focus();
});
document.addEventListener("focusout", () => setTimeout(fetchDue, PAUSE));

// The list stays where it was scrolled to when another conversation is opened.
const list = document.getElementById("conversations");
const PLACE = `heliograph list ${location.pathname.split("/")[2]}`;
if (list) {
  const [at, of] = JSON.parse(sessionStorage.getItem(PLACE) ?? "[0, null]");
  if (of === filters()) list.scrollTop = at;
  addEventListener("pagehide", () => {
    const now = document.getElementById("conversations");
    sessionStorage.setItem(PLACE, JSON.stringify([now.scrollTop, filters()]));
  });
}

function filters() {
  const query = new URLSearchParams(location.search);
  for (const name of ["at", "before", "open", "sent", "done"]) query.delete(name);
  return query.toString();
}
