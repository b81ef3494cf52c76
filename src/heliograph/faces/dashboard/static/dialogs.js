// Dialogs: modal where JavaScript runs, else a part of the page.
"use strict";

function show(dialog) {
  const writtenIn = dialog.contains(document.activeElement) && document.activeElement;
  if (dialog.open) dialog.close(); // one that the server has opened is not modal
  dialog.dataset.shown = "";
  dialog.showModal();
  (writtenIn || dialog.querySelector(".inner :is(input:not([type=hidden]), textarea, select)"))?.focus();
}

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    show(document.getElementById(opener.dataset.opens));
  } else if (event.target.closest("[data-closes]")) {
    event.preventDefault();
    event.target.closest("dialog").close();
  } else if (event.target instanceof HTMLDialogElement) {
    event.target.close(); // its backdrop
  }
});

const opened = document.querySelectorAll("dialog[open]");
// At the end of loading, browsers take the focus away for the place that an address names.
if (opened.length) history.replaceState(history.state, "", location.pathname + location.search);
opened.forEach(show);
