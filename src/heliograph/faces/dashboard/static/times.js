// Times in the reader's own zone and language: how long ago while they are young, else the date; whole on hover.
// What the server has written, in UTC, remains without JavaScript.
"use strict";

const MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR; // seconds
const YOUNG = 12 * HOUR;
const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const PRECISE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });
const THIS_YEAR = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "numeric", minute: "numeric" });
const OTHER_YEAR = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });

function relative(at) {
  const seconds = Math.round((at - Date.now()) / 1000);
  const age = Math.abs(seconds);
  if (age < 45) return AGO.format(0, "second");
  if (age < 50 * MINUTE) return AGO.format(Math.round(seconds / MINUTE), "minute");
  if (age < YOUNG) return AGO.format(Math.round(seconds / HOUR), "hour");
  return (at.getFullYear() === new Date().getFullYear() ? THIS_YEAR : OTHER_YEAR).format(at);
}

const STYLES = {
  relative,
  clock: (at) => CLOCK.format(at),
  precise: (at) => PRECISE.format(at),
  day: (at) => DATE.format(at),
};

function tell(part) {
  for (const place of part.querySelectorAll("time[data-time]")) {
    const at = new Date(place.dateTime);
    const text = STYLES[place.dataset.time](at);
    if (place.textContent !== text) place.textContent = text;
    place.title = WHOLE.format(at);
  }
}

// A thread's days are the reader's, too: the server's end at midnight in UTC.
function divideByDays(part) {
  for (const list of part.querySelectorAll("[data-days]")) {
    let last = null;
    for (const entry of [...list.children]) {
      const time = entry.querySelector("time[datetime]");
      if (entry.matches("[data-day]")) {
        entry.remove();
      } else if (time) {
        const day = DATE.format(new Date(time.dateTime));
        if (day !== last) entry.before(dayOf(list, day));
        last = day;
      }
    }
  }
}

function dayOf(list, day) {
  const line = document.createElement("li");
  line.className = "day";
  line.dataset.day = "";
  line.textContent = day;
  return line;
}

// A form that works in UTC is filled in in the reader's own time.
function askInOwnTime(field) {
  const [label] = field.labels;
  label.textContent = label.textContent.replace(" (UTC)", "");
  const at = new Date(`${field.value}Z`);
  const shown = (moment) => new Date(moment - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  if (!isNaN(at)) field.value = shown(at);
  field.form.addEventListener("formdata", ({ formData }) => {
    const given = new Date(field.value);
    if (!isNaN(given)) formData.set(field.name, given.toISOString().slice(0, 16));
  });
}

function tellAll() {
  tell(document);
  divideByDays(document);
}

document.addEventListener("htmx:afterSettle", tellAll);
document.addEventListener("htmx:afterSwap", tellAll);
setInterval(() => tell(document), 20_000);
tellAll();
for (const field of document.querySelectorAll("[data-utc]")) askInOwnTime(field);
