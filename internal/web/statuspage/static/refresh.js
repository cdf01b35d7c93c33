// Shows times in the time zone of the visitor, and changes while the page is open. Without this script, times are in UTC and the page
// stays as it was loaded.
"use strict";
(() => {
  const every = 15000;
  let seen = "";

  // local rewrites the times of a page. Days are those of the visitor as well; a heading that this repeats is removed.
  const day = { day: "numeric", month: "long", year: "numeric" };
  const minute = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" };
  const language = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
  const local = (page) => {
    let last = "";
    for (const time of page.querySelectorAll("main time")) {
      const heading = time.closest(".day"), text = new Date(time.dateTime).toLocaleString(language, heading ? day : minute);
      if (heading && text === last) { heading.remove(); continue; }
      if (heading) { last = text; } else { time.title = time.textContent; }
      time.textContent = text;
    }
    const zone = page.getElementById("zone");
    if (zone) zone.textContent = zone.dataset.own.replace("%s", Intl.DateTimeFormat().resolvedOptions().timeZone);
  };
  local(document);

  // swap replaces only elements that have changed, so that nothing moves and screen readers announce only changes.
  const swap = (fresh, id) => {
    const now = document.getElementById(id), then = fresh.getElementById(id);
    if (!now || !then || now.innerHTML === then.innerHTML) return;
    const at = now.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    now.replaceChildren(...then.childNodes);
    if (at) [...now.querySelectorAll("a")].find((a) => a.getAttribute("href") === at)?.focus({ preventScroll: true });
  };

  const look = async () => {
    if (document.visibilityState !== "visible") return;
    const headers = { Accept: "text/html" }; // as browsers request pages; else the browser would show its own password dialog
    if (seen) headers["If-None-Match"] = seen;
    const answer = await fetch(location.pathname, { headers, cache: "no-store" });
    if (answer.status === 401) return location.reload(); // the page now has a password
    if (answer.status !== 200) return;
    seen = answer.headers.get("ETag") || "";
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    local(fresh);
    for (const group of document.querySelectorAll(".group")) { // what the visitor has opened or closed stays so until its state changes
      const same = [...fresh.querySelectorAll(".group")].find((g) => g.dataset.group === group.dataset.group);
      if (same && same.dataset.state === group.dataset.state) same.open = group.open;
    }
    swap(fresh, "overall");
    swap(fresh, "state");
  };

  if (!document.getElementById("state")) return;
  const again = () => look().catch(() => {}).then(() => setTimeout(again, every));
  setTimeout(again, every);
  document.addEventListener("visibilitychange", () => look().catch(() => {}));
})();
