// The consoles: says when a list is no longer current, keeps the title's count, and marks the chosen hit.

const PATIENCE_MS = 5000;
const trouble = document.querySelector("#trouble");
let heardAt = performance.now();

document.addEventListener("htmx:afterRequest", (event) => {
  const status = event.detail.xhr?.status ?? 0;
  if (status > 0 && status < 500) heardAt = performance.now();
  else if (event.detail.requestConfig?.verb === "post") {
    say("The service did not answer. Nothing is known of what you sent: look again before you repeat it.");
  }
});
document.addEventListener("htmx:afterSettle", settle);
setInterval(judge, 500);
settle();

function judge() {
  if (!document.querySelector("[hx-trigger^=every]")) return;
  const isStale = performance.now() - heardAt > PATIENCE_MS;
  if (isStale) say("This page is not current: no word from the service.");
  else if (document.body.classList.contains("is-stale")) trouble.hidden = true;
  document.body.classList.toggle("is-stale", isStale);
  for (const lamp of document.querySelectorAll("[data-waiting] [data-part=lamp]")) {
    lamp.className = `lamp ${isStale ? "is-off" : "is-live"}`;
    lamp.textContent = isStale ? "Not current" : "Live";
  }
}

function say(sentence) {
  if (trouble.hidden || trouble.textContent !== sentence) trouble.textContent = sentence;
  trouble.hidden = false;
}

function settle() {
  const list = document.querySelector("[data-waiting]");
  if (list) {
    const count = Number(list.dataset.waiting);
    const title = document.title.replace(/^\(\d+\) /, "");
    document.title = count ? `(${count}) ${title}` : title;
  }
  const chosen = document.querySelector("#hit")?.dataset.hit;
  for (const line of document.querySelectorAll(".line")) {
    if (line.dataset.hit === chosen) line.setAttribute("aria-current", "true");
    else line.removeAttribute("aria-current");
  }
  document.querySelector("#hit [autofocus], .payout [autofocus]")?.focus();
}
