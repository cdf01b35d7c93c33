// Keeps a dashboard on a wall up to date. Escape leaves the page, and a button fills the screen with it.
"use strict";
(() => {
  const late = () => { one("#late").hidden = false; one("#wall").removeAttribute("aria-busy"); };
  const refresh = () => { if (!document.hidden) { swap(location.href, "#wall", false, {}, late); } };
  setInterval(refresh, Number(one("#wall").dataset.every) * 1000);
  document.addEventListener("visibilitychange", refresh);
  const fill = one("[data-fill]"), leave = one("[data-leave]");
  fill.hidden = !document.fullscreenEnabled;
  fill.addEventListener("click", () => document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && leave && !document.fullscreenElement) { location.assign(leave.href); }
  });
})();
