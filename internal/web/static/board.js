// Arranges the widgets of a dashboard: by drag, and by the arrow keys on a handle; with Shift they change the size. The rule is that of
// dashboard.Settle, and the classes are those of dashboard.Place. Each change is sent with the places of all widgets.
"use strict";
(() => {
  const board = one("[data-arrange]");
  const columns = 12, mostHeight = 24, gap = 16, row = 96 + gap, pause = 400;
  const widgets = all("[data-place]", board).map((e) => {
    const [x, y, w, h] = e.dataset.place.split(",").map(Number);
    return { e, id: e.dataset.widget, title: one("h2", e).textContent, x, y, w, h };
  });
  const places = () => widgets.map(({ id, x, y, w, h }) => `${id}:${x},${y},${w},${h}`).join(" ");
  const within = (n, least, most) => Math.min(Math.max(n, least), most);
  const order = (held) => [...widgets].sort((a, b) => a.y - b.y || (b === held) - (a === held) || a.x - b.x);
  let sent = places(), version = board.dataset.version, timer, sending, lost;

  function settle(held) {
    const heights = Array(columns).fill(0);
    for (const w of order(held)) {
      w.y = Math.max(...heights.slice(w.x, w.x + w.w));
      heights.fill(w.y + w.h, w.x, w.x + w.w);
    }
    const lines = [...new Set(widgets.flatMap(({ y, h }) => [y, y + h]))].sort((a, b) => a - b);
    for (const { e, x, y, w, h } of widgets) {
      const at = lines.indexOf(y);
      e.className = `card x${x} w${w} r${at + 1} n${lines.indexOf(y + h) - at} h${h}`;
    }
  }
  const copy = () => widgets.map(({ x, y, w, h }) => ({ x, y, w, h }));
  const restore = (was) => was.forEach((place, i) => Object.assign(widgets[i], place));

  // The order of the page is that of reading. What has the focus is not moved, so that it keeps it.
  function reorder() {
    const focused = widgets.find(({ e }) => e.contains(document.activeElement));
    let behind = false;
    for (const w of order()) {
      if (w === focused) { behind = true; } else if (focused && !behind) { board.insertBefore(w.e, focused.e); } else { board.append(w.e); }
    }
  }
  function tell(text, last) {
    const note = one("#arranged");
    note.hidden = !text;
    one("span", note).textContent = text;
    one("a", note).hidden = !last;
  }
  async function send() {
    clearTimeout(timer);
    if (sending || lost || places() === sent) { return; }
    const now = places();
    sending = true;
    try {
      const answer = await fetch(board.dataset.arrange, {
        method: "POST", keepalive: true, headers: { Accept: "application/json" }, body: new URLSearchParams({ version, places: now }),
      });
      const said = await answer.json();
      lost = !answer.ok;
      if (lost) { tell(said.errors, true); return; }
      [version, sent] = [said.version, now];
      board.dataset.version = version;
      tell("");
    } catch {
      tell("Not saved: the server does not answer. Move a widget to try again.");
      return;
    } finally { sending = false; }
    if (places() !== sent) { await send(); }
  }
  function changed() {
    reorder();
    clearTimeout(timer);
    timer = setTimeout(send, pause);
  }
  const where = ({ title, x, y, w, h }) => `${title}: columns ${x + 1} to ${x + w} of ${columns}, row ${y + 1}, ${h} ${h > 1 ? "rows" : "row"} high.`;

  // Up and down move as far as changes the order.
  function step(w, dx, dy) {
    const was = copy(), end = Math.max(...widgets.map(({ y, h }) => y + h));
    w.x = within(w.x + dx, 0, columns - w.w);
    if (dx) { settle(w); return; }
    const from = w.y;
    for (let y = from + dy; y >= 0 && y <= end; y += dy) {
      restore(was);
      w.y = y;
      settle(w);
      if (w.y !== from) { return; }
    }
    restore(was);
    settle();
  }
  function resize(w, width, height) {
    w.w = within(width, 1, columns - w.x);
    w.h = within(height, 1, mostHeight);
    settle(w);
  }
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const owner = (handle) => widgets.find(({ e }) => e.contains(handle));
  board.addEventListener("keydown", (event) => {
    const [dx, dy] = arrows[event.key] || [], handle = event.target.closest(".handle");
    if (!handle || dx === undefined || event.ctrlKey || event.altKey || event.metaKey) { return; }
    event.preventDefault();
    if (lost) { return; }
    const w = owner(handle), before = places();
    if (event.shiftKey) { resize(w, w.w + dx, w.h + dy); } else { step(w, dx, dy); }
    const same = places() === before;
    say(same ? `${where(w)} No further.` : where(w));
    if (!same) { changed(); w.e.scrollIntoView({ block: "nearest" }); }
  });

  // The row that a pointer means: in the upper half of another widget its row, in the lower half the one behind it.
  function rowAt(held, slot, px, py) {
    if (px >= slot.left && px <= slot.right && py >= slot.top && py <= slot.bottom) { return held.y; }
    let under = 0;
    for (const o of widgets) {
      const r = o.e.getBoundingClientRect();
      if (o === held) { continue; }
      if (px >= r.left && px <= r.right && py >= r.top && py <= r.bottom) { return py < (r.top + r.bottom) / 2 ? o.y : o.y + 1; }
      if (r.bottom <= py) { under = Math.max(under, o.y + o.h); }
    }
    return under;
  }
  board.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest(".handle, .corner");
    if (!handle || event.button || lost) { return; }
    event.preventDefault();
    const held = owner(handle), was = copy(), from = held.e.getBoundingClientRect(), top = scrollY, { w: width, h: height } = held;
    const cell = (board.clientWidth + gap) / columns, moves = handle.matches(".handle");
    const ways = new AbortController(), { signal } = ways;
    let slot = from;
    handle.focus({ preventScroll: true });
    handle.setPointerCapture(event.pointerId);
    held.e.dataset.held = "";
    function follow(e) {
      const dx = e.clientX - event.clientX, dy = e.clientY - event.clientY + scrollY - top;
      if (!moves) { resize(held, width + Math.round(dx / cell), height + Math.round(dy / row)); return; }
      held.e.style.transform = "";
      const y = rowAt(held, slot, e.clientX, e.clientY);
      held.x = within(Math.round((from.left + dx - board.getBoundingClientRect().left) / cell), 0, columns - held.w);
      held.y = y;
      settle(held);
      slot = held.e.getBoundingClientRect();
      held.e.style.transform = `translate(${from.left + dx - slot.left}px, ${from.top + dy - (scrollY - top) - slot.top}px)`;
      const near = e.clientY < 64 ? -1 : e.clientY > innerHeight - 64 ? 1 : 0;
      if (near) { scrollBy(0, near * 12); }
    }
    function end(keep) {
      ways.abort();
      held.e.style.transform = "";
      delete held.e.dataset.held;
      if (!keep) { restore(was); settle(); return; }
      say(where(held));
      changed();
    }
    handle.addEventListener("pointermove", follow, { signal });
    handle.addEventListener("pointerup", () => end(true), { signal });
    handle.addEventListener("pointercancel", () => end(false), { signal });
    addEventListener("keydown", (e) => { if (e.key === "Escape") { e.preventDefault(); end(false); } }, { signal });
  });

  // A form of the page, or leaving it, waits for what is not sent.
  document.addEventListener("submit", (event) => {
    if (event.target.method !== "post" || lost || places() === sent && !sending) { return; }
    event.preventDefault();
    const again = () => sending ? setTimeout(again, 50) : event.target.requestSubmit(event.submitter);
    send().then(() => { sent = places(); again(); });
  });
  addEventListener("pagehide", send);
  board.classList.add("arranges");
})();
