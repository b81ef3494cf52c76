// A choice that somebody makes with the mouse or a finger is sent at once. With the keyboard the arrows pass over the
// choices in between: there the button sends.
"use strict";

let isPointed = false;
document.addEventListener("pointerdown", (event) => { isPointed = event.target.closest("form.choose select") !== null; });
document.addEventListener("keydown", () => { isPointed = false; });
document.addEventListener("change", ({ target }) => {
  if (isPointed && target.matches("form.choose select") && target.reportValidity()) target.form.requestSubmit();
});
