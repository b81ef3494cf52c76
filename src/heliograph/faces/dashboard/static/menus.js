// Menus close on Esc, on a click elsewhere, and when another one opens. They open without JavaScript.
"use strict";

const openMenus = () => document.querySelectorAll("details.menu[open]");

function closeMenus(but) {
  for (const menu of openMenus()) {
    if (menu !== but) menu.open = false;
  }
}

document.addEventListener("click", ({ target }) => closeMenus(target.closest("details.menu")));
document.addEventListener("focusin", ({ target }) => {
  if (!target.matches("main")) closeMenus(target.closest("details.menu"));
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const [menu] = openMenus();
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
    event.stopPropagation();
  } else if (location.hash === "#areas") {
    location.hash = "#content";
  }
}, true);
