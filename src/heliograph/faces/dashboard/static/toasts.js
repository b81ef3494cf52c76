// What was done is said for some seconds, and not again when the page is loaded anew.
"use strict";

const SHOWN = 6000; // ms

function toast(text) {
  const said = document.createElement("p");
  said.className = "toast";
  said.textContent = text;
  document.querySelector(".toasts").append(said);
  setTimeout(() => said.remove(), SHOWN);
}

for (const said of document.querySelectorAll("[data-toast]")) {
  setTimeout(() => said.remove(), SHOWN);
  const address = new URL(location.href);
  address.searchParams.delete("done");
  history.replaceState(null, "", address);
}
