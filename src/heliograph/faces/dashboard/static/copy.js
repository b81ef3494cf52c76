// Pages that show something to copy, a secret for one: a button that copies it, and an address to which a reload leads.
// Without this the text is selected and copied by hand, and the browser asks before it posts again.
"use strict";

async function copyFrom(field) {
  field.select();
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(field.value);
  } else {
    document.execCommand("copy"); // where the page did not come over https
  }
}

for (const button of document.querySelectorAll("[data-copies]")) {
  const field = document.getElementById(button.dataset.copies);
  field.addEventListener("focus", () => field.select());
  button.hidden = false;
  button.addEventListener("click", async () => {
    await copyFrom(field);
    button.closest(".secret").querySelector("[data-copied]").hidden = false;
  });
}

const after = document.querySelector("[data-after]");
if (after) {
  history.replaceState(null, "", after.dataset.after);
}
