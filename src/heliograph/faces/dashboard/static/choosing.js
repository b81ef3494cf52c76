// A choice is saved as soon as it is made; one that was made before this script ran is saved now. Without the script
// it has a button. Arrow keys pass over the choices in between: there a choice is made once they rest, with Enter, or
// when the field is left.
"use strict";

{
  const RESTED = 1200; // ms
  const PASSING = /^(Arrow|Home|End|Page|.$)/; // keys that change a field that is not open
  let isPassing = false;
  let rest = null;

  const wasMade = ({ options, selectedIndex }) => {
    return selectedIndex !== Math.max(0, [...options].findIndex((option) => option.defaultSelected));
  };

  const save = ({ form }) => {
    clearTimeout(rest);
    rest = null;
    if (form.isConnected && form.reportValidity()) form.requestSubmit();
  };

  document.addEventListener("pointerdown", () => { isPassing = false; });
  document.addEventListener("keydown", ({ key, target }) => {
    if (!target.matches?.("form.choose select")) return;
    if (key === "Enter" && rest) save(target);
    isPassing = PASSING.test(key);
  });
  document.addEventListener("change", ({ target }) => {
    if (!target.matches("form.choose select")) return;
    clearTimeout(rest);
    if (isPassing) rest = setTimeout(save, RESTED, target);
    else save(target);
  });
  document.addEventListener("focusout", ({ target }) => rest && target.matches("form.choose select") && save(target));
  document.documentElement.dataset.choosing = "";
  [...document.querySelectorAll("form.choose select")].filter(wasMade).forEach(save);
}
