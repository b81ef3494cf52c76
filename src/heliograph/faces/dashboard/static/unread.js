// How many conversations are unread, in the title and on the icon of the browser's tab.
"use strict";

const TITLE = document.title;

function tellUnread() {
  const list = document.querySelector("[data-unread]");
  if (!list) return;
  const unread = Number(list.dataset.unread);
  document.title = unread ? `(${unread}) ${TITLE}` : TITLE;
  const icon = document.querySelector('link[rel="icon"]');
  const wanted = icon.href.replace(/icon(-unread)?\.svg$/, unread ? "icon-unread.svg" : "icon.svg");
  if (icon.href !== wanted) icon.href = wanted;
}

document.addEventListener("htmx:afterSwap", tellUnread);
tellUnread();
