// What is being written survives a reload, a sign-out and an expired session: it stays in this browser until it is sent.
// What was typed as a text is taken into a dialog. Also: Enter sends, if the reader wants it so.
"use strict";

const OLDEST = 14 * 24 * 60 * 60 * 1000; // ms; older drafts are dropped
const PREFIX = "heliograph draft";
const place = document.querySelector("[data-draft-of]");
const organization = location.pathname.match(/dashboard\/([0-9a-f-]+)/)?.[1];
const keyOf = (form) => `${PREFIX} ${organization} ${place.dataset.draftOf} ${form.dataset.draft}`;
const isKept = (field) => field.name && !["hidden", "file", "submit"].includes(field.type);

function keep(form) {
  const fields = [...form.elements].filter(isKept);
  const values = Object.fromEntries(
    fields.map((field) => [field.name, field.type === "checkbox" ? field.checked : field.value]),
  );
  const isEmpty = Object.values(values).every((value) => !value);
  if (isEmpty) localStorage.removeItem(keyOf(form));
  else localStorage.setItem(keyOf(form), JSON.stringify({ at: Date.now(), values, took: form.dataset.took }));
}

const wasTyped = (form) => [...form.elements].some((field) => isKept(field) && field.value !== (field.defaultValue ?? field.value));

function restore(form) {
  const draft = JSON.parse(localStorage.getItem(keyOf(form)) ?? "null");
  if (!draft) return;
  // the text has its own draft: an unchanged copy is taken anew, unless the dialog is open to be corrected
  const hasCopy = draft.took !== undefined && !form.closest("dialog")?.open;
  if (draft.took !== undefined) form.dataset.took = draft.took;
  for (const field of [...form.elements].filter(isKept)) {
    const value = draft.values[field.name];
    if (value === undefined || (hasCopy && "takesText" in field.dataset && value === draft.took)) continue;
    if (field.type === "checkbox") field.checked = value;
    else if (!field.value) field.value = value; // what the server shows again is newer
  }
}

function forgetOld() {
  for (const key of Object.keys(localStorage).filter((each) => each.startsWith(PREFIX))) {
    const { at } = JSON.parse(localStorage.getItem(key));
    if (Date.now() - at > OLDEST) localStorage.removeItem(key);
  }
}

// The page to which an answer leads says what was sent: only then is its draft dropped.
function forgetSent() {
  const address = new URL(location.href);
  const sent = address.searchParams.get("sent");
  if (!sent) return;
  const latest = sessionStorage.getItem(PREFIX);
  latest?.split("\n").forEach((key) => localStorage.removeItem(key));
  sessionStorage.removeItem(PREFIX);
  address.searchParams.delete("sent");
  history.replaceState(null, "", address);
}

const text = document.getElementById("text");

// A dialog continues with what was typed as a text, which is then sent with it.
function takeText(form) {
  const field = form?.querySelector("[data-takes-text]");
  if (!field || field.value || !text?.value.trim()) return;
  form.dataset.took = text.value;
  fill(field, text.value);
}

// The dialog then keeps no copy, which would be stale once the text changes.
function giveBackText(form) {
  const field = form.querySelector("[data-takes-text]");
  if (!field?.value || field.value !== form.dataset.took) return;
  delete form.dataset.took;
  fill(field, "");
}

function fill(field, value) {
  field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function draftsIn(form) {
  const hasText = text && form.dataset.took === text.value && form.querySelector("[data-takes-text]").value.trim();
  return (hasText ? [form, text.form] : [form]).map(keyOf).join("\n");
}

forgetOld();
forgetSent();
if (place) {
  for (const form of document.querySelectorAll("[data-draft]")) {
    const isNew = wasTyped(form); // before this script ran
    restore(form);
    if (isNew) keep(form);
    form.addEventListener("input", () => keep(form));
    form.addEventListener("submit", (event) => event.defaultPrevented || sessionStorage.setItem(PREFIX, draftsIn(form)));
    const dialog = form.closest("dialog");
    // one that the server has opened closes to open again
    dialog?.addEventListener("close", () => dialog.open || giveBackText(form));
  }
  document.addEventListener("click", ({ target, ctrlKey, metaKey }) => {
    const opener = target.closest("[data-opens]");
    if (opener && !ctrlKey && !metaKey) takeText(document.querySelector(`#${opener.dataset.opens} [data-draft]`));
  });
}

const ENTER = "heliograph enter sends";
const wantsEnter = () => localStorage.getItem(ENTER) !== "no" && matchMedia("(hover: hover)").matches;

for (const box of document.querySelectorAll("[data-enter-sends]")) {
  box.closest("label").hidden = !matchMedia("(hover: hover)").matches;
  box.checked = wantsEnter();
  box.addEventListener("change", () => localStorage.setItem(ENTER, box.checked ? "yes" : "no"));
}
document.addEventListener("keydown", (event) => {
  const { key, target, shiftKey } = event;
  if (key !== "Enter" || event.isComposing || event.defaultPrevented || !target.matches("[data-sends]")) return;
  const sends = event.ctrlKey || event.metaKey || (wantsEnter() && !shiftKey);
  if (!sends) return;
  event.preventDefault();
  if (target.value.trim()) target.form.requestSubmit();
});
