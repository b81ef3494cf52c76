// A page whose reader is not signed in any more, or no member, goes to where it is said: a part of
// it was asked for, or its live stream says so. Not while somebody is writing something that would
// be lost.
"use strict";

function reload() {
  const fields = [...document.querySelectorAll("textarea, input[type=text], input:not([type])")];
  if (!fields.some((each) => each.value !== each.defaultValue)) location.reload();
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
