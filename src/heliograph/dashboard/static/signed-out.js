// A part of the page was asked for, and nobody is signed in any more: the whole page goes to the
// sign-in, but not while somebody is writing something that would be lost.
"use strict";

document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.status !== 401) return;
  const fields = [...document.querySelectorAll("textarea, input[type=text], input:not([type])")];
  if (!fields.some((each) => each.value !== each.defaultValue)) location.reload();
});
