// Says for some seconds what was done, and does not repeat it when the page is reloaded.
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
