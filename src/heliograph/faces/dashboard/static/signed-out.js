// Leads a page whose reader is no longer signed in, or no longer a member, to the page that says so,
// once a part of it was requested or its live stream reports it. Not while somebody is writing
// something that would be lost.
"use strict";

const ENDED = "You are signed out, or your role has changed. Open the dashboard in another tab before you send "
  + "what you have written.";

function reload() {
  const fields = [...document.querySelectorAll("textarea, input[type=text], input:not([type])")];
  if (!fields.some((each) => each.value !== each.defaultValue)) location.reload();
  else say(ENDED);
}

function say(text) {
  if (document.querySelector(".signed-out")) return;
  const said = document.createElement("p");
  said.className = "notice warn signed-out";
  said.setAttribute("role", "alert");
  said.textContent = text;
  (document.querySelector(".composer") ?? document.querySelector("main")).prepend(said);
}

document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.status === 401) reload();
});
document.addEventListener("htmx:sseOpen", (event) => {
  const { source } = event.detail;
  source.addEventListener("reload", () => {
    source.close(); // it would only be told the same again
    reload();
  });
});
