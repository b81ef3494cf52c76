// Marks the page's root once all scripts and the live stream listen. Until then it works as it does without them.
"use strict";

{
  // What was typed before somebody listened who looks for it.
  function tellTyped() {
    for (const field of document.querySelectorAll("[type=search]")) {
      if (field.value !== field.defaultValue) field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }

  const isTold = new Promise((tell) => document.addEventListener("live", tell, { once: true }));
  addEventListener("DOMContentLoaded", () => setTimeout(async () => { // htmx listens then
    tellTyped();
    if (document.querySelector("[sse-connect]")) await isTold;
    document.documentElement.dataset.ready = "";
  }));
}
