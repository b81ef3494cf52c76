// A file that is dropped on a conversation, or pasted into its answer, is taken into the dialog that sends files.
"use strict";

{
  const field = document.getElementById("f-file");
  const dialog = field?.closest("dialog");
  const hasFiles = (data) => data?.types.includes("Files") && data.types.length > 0;

  function take(files) {
    const one = new DataTransfer();
    one.items.add(files[0]);
    if (!dialog.open) document.querySelector(`[data-opens="${dialog.id}"]`).click(); // takes a text along
    field.files = one.files;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
    if (files.length > 1) field.setCustomValidity("One file is sent at a time: choose which.");
    field.reportValidity();
  }

  if (field) {
    const place = document.querySelector(".thread");
    let depth = 0; // entered elements, each within the one before
    const light = (change) => {
      depth = change === 0 ? 0 : depth + change;
      place.classList.toggle("takes-file", depth > 0);
    };
    place.addEventListener("dragenter", (event) => hasFiles(event.dataTransfer) && light(1));
    place.addEventListener("dragleave", (event) => hasFiles(event.dataTransfer) && light(-1));
    // beside the conversation too, a file would else be opened in place of the page
    document.addEventListener("dragover", (event) => hasFiles(event.dataTransfer) && event.preventDefault());
    document.addEventListener("drop", (event) => {
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      light(0);
      if (place.contains(event.target) && event.dataTransfer.files.length) take(event.dataTransfer.files);
    });
    document.addEventListener("paste", (event) => {
      const data = event.clipboardData;
      // a program that copies a text with its picture means the text
      if (!event.target.closest?.("#answer, #send-file") || !data.files.length || data.types.includes("text/plain")) return;
      event.preventDefault();
      take(data.files);
    });
  }
}
