// Shows the form of another operation as soon as it is chosen.
"use strict";

const choice = document.getElementById("choice");
choice.querySelector("button").hidden = true;
choice.addEventListener("change", () => choice.requestSubmit());
