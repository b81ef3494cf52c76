// Lists that were opened on a phone stay open when the phone refreshes. The page works without it.
"use strict";

let open = [];
document.addEventListener("htmx:beforeSwap", ({ detail: { target } }) => {
  open = [...target.querySelectorAll("details[open][id]")].map((each) => each.id);
});
document.addEventListener("htmx:afterSwap", () => {
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
});
