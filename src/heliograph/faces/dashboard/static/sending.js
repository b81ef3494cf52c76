// Sends a text or a note while the page stays, as people keep typing: what they type belongs to the next one, and a
// page that is being replaced would lose it. What is refused goes back into its field and is sent like any form, which
// shows why.
"use strict";

{
  const waiting = []; // what has not been taken yet, in its order
  let isSending = false;

  const textOf = (form) => form.querySelector("textarea");

  document.addEventListener("submit", (event) => {
    const form = event.target;
    // an older page of the conversation would not show what was sent
    if (!form.matches("[data-stays]") || !document.querySelector("#messages[hx-get]")) return;
    event.preventDefault();
    const field = textOf(form);
    const id = form.elements.form_id;
    waiting.push({ form, text: field.value, id: id.value, body: new URLSearchParams(new FormData(form)) });
    id.value = newId();
    write(field, "");
    field.focus();
    document.querySelector(".scroller").scrollTop = 0; // its end, where it will stand
    if (form.elements.reply_to) forgetQuote();
    sendAll();
  }, true); // before the listeners that wait for the page to be left

  // randomUUID is missing where a page came over http from another machine
  function newId() {
    const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
    return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  async function sendAll() {
    if (isSending) return;
    isSending = true;
    while (waiting.length) {
      if (!(await isTaken(waiting[0]))) {
        giveBack();
        break;
      }
      waiting.shift();
      document.querySelector(".composer .problem")?.remove();
      hear("news"); // so the last of several in a row is not lost
      hear("changes");
    }
    isSending = false;
  }

  async function isTaken({ form, body }) {
    try {
      const headers = { "HX-Request": "true" };
      const answer = await fetch(form.action, { method: "POST", mode: "same-origin", headers, body });
      return answer.status === 204;
    } catch {
      return false; // no connection
    }
  }

  // The first was refused; nothing behind it was sent.
  function giveBack() {
    const [{ form, id, body }] = waiting;
    const field = textOf(form);
    const typedOn = waiting.length > 1 || field.value.trim();
    for (const { form: its, text } of waiting.splice(0).reverse()) {
      write(textOf(its), [text, textOf(its).value].filter(Boolean).join("\n"));
    }
    form.elements.form_id.value = id;
    if (typedOn) return sayRefused(form);
    const quoted = body.get("reply_to");
    const hidden = { type: "hidden", name: "reply_to", value: quoted };
    if (quoted) form.append(Object.assign(document.createElement("input"), hidden));
    form.submit(); // as if it had been sent so at once
  }

  function sayRefused(form) {
    form.removeAttribute("data-stays"); // the next try shows the reason
    const said = document.createElement("p");
    said.className = "problem";
    said.setAttribute("role", "alert");
    said.textContent = "This was not sent. Look at it, and send it again.";
    document.querySelector(".composer .problem")?.remove();
    document.querySelector(".composer").prepend(said);
  }

  function write(field, value) {
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true })); // a draft, and its length
  }

  function forgetQuote() {
    for (const id of ["selection", "reply-to"]) document.getElementById(id)?.replaceChildren();
    const address = new URL(location.href);
    address.searchParams.delete("at"); // a reload does not choose it again
    history.replaceState(history.state, "", address);
  }

  addEventListener("beforeunload", (event) => waiting.length && event.preventDefault());
}
