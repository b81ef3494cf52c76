// Says how much a field may hold once it nearly does, and sends nothing that is longer: `maxlength` cuts what is pasted,
// and does not say so. A file's size is known before it is uploaded.
"use strict";

const NEARLY = 0.9;
const MIB = 1024 * 1024;

function judge(field) {
  if (field.type === "file") judgeFile(field);
  else judgeText(field, [...field.value].length, Number(field.dataset.most));
}

function judgeText(field, length, most) {
  let said = field.nextElementSibling?.matches(".length") ? field.nextElementSibling : null;
  if (length < NEARLY * most) said?.remove();
  else {
    if (!said) {
      said = Object.assign(document.createElement("small"), { className: "length" });
      field.after(said);
    }
    said.textContent = `${length.toLocaleString()} of ${most.toLocaleString()} characters`;
    said.classList.toggle("over", length > most);
  }
  const over = length - most;
  field.setCustomValidity(over > 0 ? `Shorten it by ${over.toLocaleString()} ${over === 1 ? "character" : "characters"}.` : "");
}

function judgeFile(field) {
  const most = Number(field.dataset.most);
  const [file] = field.files;
  if (!file || file.size <= most) return field.setCustomValidity("");
  const size = (file.size / MIB).toFixed(1);
  field.setCustomValidity(`“${file.name}” has ${size} MiB; the limit is ${most / MIB} MiB.`);
  field.reportValidity();
}

document.addEventListener("input", ({ target }) => target.dataset.most && judge(target));
for (const field of document.querySelectorAll("[data-most]:not([type=file])")) judge(field);
