// Canned replies: "/" at the beginning of an answer, or after a blank, offers them by their shortcuts.
"use strict";

const composer = document.querySelector("[data-canned]");
const field = composer?.querySelector("#text");
const replies = composer ? Object.entries(JSON.parse(composer.dataset.canned)) : [];
const TYPED = /(^|\s)\/([^\s/]*)$/;
let offered = null; // the list, while it is shown

// without accents and case, as in all searches; in capitals ß is SS, and a sigma has one form
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toUpperCase();

function offer() {
  const typed = field.value.slice(0, field.selectionStart).match(TYPED);
  const fits = typed ? replies.filter(([shortcut]) => plain(shortcut).startsWith(plain(typed[2]))) : [];
  withdraw();
  if (!fits.length) return;
  offered = document.createElement("ul");
  offered.className = "canned-list";
  offered.id = "canned-list";
  offered.setAttribute("role", "listbox");
  offered.setAttribute("aria-label", "Canned replies");
  fits.forEach(([shortcut, body], index) => offered.append(entryOf(shortcut, body, index)));
  composer.append(offered);
  field.setAttribute("aria-controls", "canned-list");
  choose(0);
}

function entryOf(shortcut, body, index) {
  const entry = document.createElement("li");
  entry.id = `canned-${index}`;
  entry.setAttribute("role", "option");
  const code = document.createElement("code");
  code.textContent = `/${shortcut}`;
  const text = document.createElement("span");
  text.textContent = body;
  entry.append(code, text);
  entry.dataset.body = body;
  entry.addEventListener("mousedown", (event) => {
    event.preventDefault(); // the field keeps the focus
    take(entry);
  });
  return entry;
}

function withdraw() {
  offered?.remove();
  offered = null;
  field.removeAttribute("aria-activedescendant");
}

const chosen = () => [...offered.children].findIndex((entry) => entry.ariaSelected === "true");

function choose(index) {
  [...offered.children].forEach((entry, at) => (entry.ariaSelected = String(at === index)));
  field.setAttribute("aria-activedescendant", `canned-${index}`);
  offered.children[index].scrollIntoView({ block: "nearest" });
}

function take(entry) {
  const before = field.value.slice(0, field.selectionStart).replace(TYPED, "$1");
  const body = entry.dataset.body.replaceAll("{name}", () => composer.dataset.name);
  const after = field.value.slice(field.selectionStart);
  withdraw();
  field.value = before + body + after;
  field.setSelectionRange((before + body).length, (before + body).length);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

// The menu offers them, too; without any it leads to where they are written.
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-offers-canned]") || !replies.length) return;
  event.preventDefault();
  event.target.closest("details").open = false;
  field.focus();
  field.setRangeText(/(^|\s)$/.test(field.value.slice(0, field.selectionStart)) ? "/" : " /", field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
});

field?.addEventListener("input", offer);
field?.addEventListener("blur", withdraw);
field?.addEventListener("keydown", (event) => {
  if (!offered) return;
  const count = offered.children.length;
  if (event.key === "ArrowDown") choose((chosen() + 1) % count);
  else if (event.key === "ArrowUp") choose((chosen() + count - 1) % count);
  else if (event.key === "Enter" || event.key === "Tab") take(offered.children[chosen()]);
  else if (event.key === "Escape") withdraw();
  else return;
  event.preventDefault();
  event.stopPropagation();
});
