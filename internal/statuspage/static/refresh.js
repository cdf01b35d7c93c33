// Shows what has changed while the page is open. Without it the page is as it was when it was loaded.
"use strict";
(() => {
  const every = 15000;
  let seen = "";

  // swap puts in what is new, and leaves alone what is not, so that nothing moves and screen readers speak of changes only.
  const swap = (fresh, id) => {
    const now = document.getElementById(id), then = fresh.getElementById(id);
    if (!now || !then || now.innerHTML === then.innerHTML) return;
    const at = now.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    now.replaceChildren(...then.childNodes);
    if (at) [...now.querySelectorAll("a")].find((a) => a.getAttribute("href") === at)?.focus({ preventScroll: true });
  };

  const look = async () => {
    if (document.visibilityState !== "visible") return;
    const headers = { Accept: "text/html" }; // as the browser asks for it, or it would ask for a password in its own way
    if (seen) headers["If-None-Match"] = seen;
    const answer = await fetch(location.pathname, { headers, cache: "no-store" });
    if (answer.status === 401) return location.reload(); // it has got a password
    if (answer.status !== 200) return;
    seen = answer.headers.get("ETag") || "";
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    swap(fresh, "overall");
    swap(fresh, "state");
  };

  const again = () => look().catch(() => {}).then(() => setTimeout(again, every));
  setTimeout(again, every);
  document.addEventListener("visibilitychange", () => look().catch(() => {}));
})();
