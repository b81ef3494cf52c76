// Buttons that copy; and an address to which a reload leads, on pages that show something once.
// Without JavaScript the text is selected and copied by hand, and the browser asks before it posts again.
"use strict";

async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea"); // where the page did not come over https
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

const SOURCES = "[data-copy], [data-copy-from]";

function revealCopying(part) {
  for (const button of part.querySelectorAll(SOURCES)) button.hidden = false;
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest(SOURCES);
  if (!button) return;
  const field = document.getElementById(button.dataset.copyFrom);
  await copyText(field ? field.value : button.dataset.copy);
  button.focus();
  toast("Copied.");
});
document.addEventListener("focusin", ({ target }) => {
  if (target.matches("input[readonly], textarea[readonly]")) target.select();
});
document.addEventListener("htmx:afterSwap", () => revealCopying(document));
revealCopying(document);

const after = document.querySelector("[data-after]");
if (after) history.replaceState(null, "", after.dataset.after);
