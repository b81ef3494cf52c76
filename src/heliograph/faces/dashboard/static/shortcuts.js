// The inbox by keyboard alone: a key presses what has it as `data-key`; the page "?" lists them.
"use strict";

const WRITES = "input, textarea, select, [contenteditable]";
const links = () => [...document.querySelectorAll("#conversations .who")];

function step(by) {
  const all = links();
  const now = all.findIndex((link) => link === document.activeElement);
  const from = now < 0 ? all.findIndex((link) => link.hasAttribute("aria-current")) : now;
  all[Math.max(0, Math.min(all.length - 1, from < 0 ? 0 : from + by))]?.focus();
}

function write(mode) {
  const chosen = document.getElementById(`mode-${mode}`);
  if (chosen) chosen.checked = true;
  document.getElementById(mode === "note" ? "note" : "text")?.focus();
}

const DEEDS = {
  j: () => step(1),
  k: () => step(-1),
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  o: () => document.activeElement.matches(".who") && document.activeElement.click(),
  r: () => write("answer"),
  m: () => write("note"),
  f: () => document.querySelector('[data-opens="send-file"]')?.click(),
  "?": () => show(document.getElementById("keys")),
};

function press(key) {
  const place = document.querySelector(`[data-key="${key}"]`);
  if (!place) return false;
  if (place.matches("input, textarea, select")) reach(place);
  else place.click();
  if (place.matches("summary")) place.parentElement.querySelector("button, a, .menu-sheet select")?.focus();
  return true;
}

function reach(field) {
  if (!field.offsetParent) location.hash = "#about"; // it is in a pane that shows itself only then
  field.focus();
}

function leave(target) {
  if (target.matches(WRITES)) target.blur();
  else if (location.hash === "#about") location.hash = "#who";
  else (document.querySelector("#selected a") ?? document.querySelector(".to-list"))?.click();
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]")) return;
  if (key === "Escape") return leave(target);
  if (target.matches(WRITES)) return;
  const isMenu = target.closest("details[open] > .menu-sheet");
  if (isMenu && key.startsWith("Arrow")) {
    const all = [...isMenu.querySelectorAll("a, button")];
    const next = all.indexOf(target) + (key === "ArrowDown" ? 1 : -1);
    all[(next + all.length) % all.length].focus();
    event.preventDefault();
    return;
  }
  const deed = DEEDS[key];
  if (deed) deed();
  else if (key.length > 1 || !press(key)) return;
  event.preventDefault();
});
