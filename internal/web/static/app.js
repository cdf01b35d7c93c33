// Enhancements; every page works without them. It never evaluates text, and only sends requests to this server.
"use strict";

const one = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const say = (text) => { const said = one("#said"); if (said) { said.textContent = text; } };

// Times: relative times follow the time of rendering, not the clock of the device.
const born = new WeakMap();
const span = (s) => s < 60 ? `${Math.floor(s)} s` : s < 3600 ? `${Math.floor(s / 60)} min` : s < 172800 ? `${Math.floor(s / 3600)} h` : `${Math.floor(s / 86400)} d`;
function tick() {
  for (const t of all("time[data-now]")) {
    if (!born.has(t)) { born.set(t, performance.now()); }
    const ago = (Date.parse(t.dataset.now) + performance.now() - born.get(t) - Date.parse(t.dateTime)) / 1000;
    const text = "age" in t.dataset ? span(Math.max(1, ago)) : ago < -1 ? `in ${span(-ago)}` : ago < 10 ? "just now" : `${span(ago)} ago`;
    if (t.textContent !== text) { t.textContent = text; }
  }
}
tick();
setInterval(tick, 15000);

// Menus close on a click elsewhere, or by Escape.
document.addEventListener("click", (event) => {
  for (const menu of all("details.menu[open]")) {
    if (!menu.contains(event.target)) { menu.open = false; }
  }
});

// Copy: data-copy is the text, or the selector of an element; a link with data-copies is the URL of the text.
async function linked(address) {
  const answer = await fetch(address);
  if (!answer.ok) { throw new Error(answer.statusText); }
  return answer.text();
}
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], a[data-copies]");
  if (!button || button.href && (event.ctrlKey || event.metaKey || event.shiftKey)) { return; }
  const source = button.dataset.copy && button.dataset.copy.startsWith("#") && one(button.dataset.copy);
  try {
    if (button.href) { event.preventDefault(); }
    await navigator.clipboard.writeText(button.href ? await linked(button.href) : source ? source.textContent : button.dataset.copy);
    say("Copied.");
    const before = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = before; }, 1500);
  } catch {
    if (button.href) { location.assign(button.href); return; }
    say("This browser does not allow copying. Select the text instead.");
  }
});

// Brief: elements that disappear unless they are hovered or focused.
for (const brief of all("[data-brief]")) {
  const end = () => brief.matches(":hover, :focus-within") ? setTimeout(end, 1000) : brief.remove();
  setTimeout(end, 10000);
}

// Swap: a link or a GET form replaces the element in data-swap instead of the page; the last request wins. The focus is restored, or
// moves to the new element.
const turns = new Map();
let shown = location.pathname + location.search;
const alike = (e) => `${e.tagName} ${e.id || e.name || e.getAttribute("href") || e.textContent}`;
function refocus(held, fresh) {
  const again = all(held.tagName, fresh).find((e) => alike(e) === alike(held));
  if (!again) { fresh.tabIndex = -1; }
  (again || fresh).focus({ preventScroll: true });
}
async function swap(address, selector, push, ask = {}, otherwise = () => location.assign(address)) {
  const here = one(selector);
  if (!here) { otherwise(); return; }
  const turn = (turns.get(selector) || 0) + 1;
  turns.set(selector, turn);
  here.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, { ...ask, headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (turns.get(selector) !== turn) { return; }
    const fresh = one(selector, page);
    if (!answer.ok || answer.redirected || !fresh) { here.removeAttribute("aria-busy"); otherwise(); return; }
    const now = one(selector);
    const held = now.contains(document.activeElement) && document.activeElement;
    for (const d of all("details[open][id]", now)) { one("#" + d.id, fresh)?.setAttribute("open", ""); }
    now.replaceWith(fresh);
    const box = one("[data-suggest]"), other = one("[data-suggest]", page);
    if (box && other) { box.value = other.value; }
    for (const part of all("[data-with]")) {
      const after = part.id && one("#" + part.id, page);
      if (after && !selector.includes(part.id)) { part.replaceWith(after); }
    }
    document.title = page.title;
    if (push) { history.pushState({ selector }, "", address); }
    shown = location.pathname + location.search;
    if (held) { refocus(held, fresh); }
    listen();
    tick();
    const said = fresh.matches("[data-say]") ? fresh : one("[data-say]", fresh);
    const title = one("h1", page);
    say(said ? said.dataset.say : title ? title.textContent : "Updated.");
  } catch {
    if (turns.get(selector) === turn) { here.removeAttribute("aria-busy"); otherwise(); }
  }
}
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-swap]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) { return; }
  event.preventDefault();
  swap(link.href, link.dataset.swap, true);
});
document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-swap]");
  if (!form || form.method !== "get") { return; }
  event.preventDefault();
  const query = new URLSearchParams([...new FormData(form)].filter(([name, value]) => value !== "" || form.elements[name].type === "hidden"));
  swap(`${form.action}?${query}`, form.dataset.swap, true);
});
document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-auto]");
  if (form) { form.requestSubmit(); }
});

// Peek: a button with data-peek shows the element that it names, for the values of its form, as each input does.
function peek(form, button) {
  const sent = new URLSearchParams([...new FormData(form)]);
  const asks = button.formMethod === "get";
  swap(asks ? `${button.formAction}?${sent}` : button.formAction, button.dataset.peek, false, asks ? {} : { method: "POST", body: sent }, () => say("The preview is not available."));
}
document.addEventListener("submit", (event) => {
  if (event.submitter && event.submitter.dataset.peek) { event.preventDefault(); peek(event.target, event.submitter); }
});
let soon;
document.addEventListener("input", (event) => {
  const form = event.target.form;
  const button = form && one("button[data-peek]", form);
  if (button) { clearTimeout(soon); soon = setTimeout(peek, 250, form, button); }
});

addEventListener("popstate", (event) => {
  if (shown === location.pathname + location.search) { return; } // another place of the same page
  shown = location.pathname + location.search;
  if (event.state && event.state.selector) { swap(location.href, event.state.selector, false); } else { location.reload(); }
});

// Live: an element with data-live listens to an event stream. "count" is the number of new items, which a button shows; "row" is a row for
// the list in data-into; "part" replaces elements with the same IDs. A hidden page does not listen: streams are limited.
let source;
function listen() {
  const live = one("[data-live]");
  if (source) { source.close(); source = undefined; }
  if (!live || !window.EventSource || document.hidden && !live.dataset.into) { return; }
  source = new EventSource(live.dataset.live);
  source.addEventListener("count", (event) => {
    const n = Number(event.data);
    live.hidden = !n;
    live.textContent = `${n} update${n > 1 ? "s" : ""}`;
    if (n) { say(live.textContent); }
  });
  source.addEventListener("row", (event) => {
    const list = one(live.dataset.into);
    const row = one("body > *", new DOMParser().parseFromString(event.data, "text/html"));
    if (!list || !row) { return; }
    list.prepend(row);
    while (list.children.length > 200) { list.lastElementChild.remove(); }
  });
  source.addEventListener("part", (event) => {
    for (const fresh of all("body > *", new DOMParser().parseFromString(event.data, "text/html"))) {
      const here = one("#" + fresh.id);
      if (!here) { continue; }
      const held = here.contains(document.activeElement) && document.activeElement;
      here.replaceWith(fresh);
      if (held) { refocus(held, fresh); }
      if (fresh.dataset.say) { say(fresh.dataset.say); }
    }
    tick();
  });
  source.addEventListener("end", (event) => {
    source.close();
    if (event.data) { say(event.data); }
    if (live.dataset.into) { live.className = "tag"; live.textContent = "stopped: reload the page to continue"; }
  });
}
document.addEventListener("click", (event) => {
  const pill = event.target.closest("button[data-live]");
  if (pill) { swap(pill.dataset.href || location.href, pill.dataset.swapped || "#list", false); }
});
addEventListener("pagehide", () => source && source.close());
document.addEventListener("visibilitychange", () => {
  if (one("[data-into]")) { return; }
  if (!document.hidden) { listen(); } else if (source) { source.close(); }
});
listen();

// Zone: the server shows times in the zone of this cookie. If it is new, the page is drawn again, unless it answers a form.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const pair = `sett_zone=${zone}`;
const knows = () => document.cookie.split("; ").includes(pair);
if (zone && !knows()) {
  document.cookie = `${pair}; path=${new URL("..", document.currentScript.src).pathname}; max-age=34560000; samesite=lax`;
  if (zone !== "UTC" && knows() && one("main time") && !one("[role=alert]")) { swap(location.href, "main", false); }
}

// Suggest: a field with data-suggest completes what stands before its cursor. It is a combobox, and Enter runs it, if it has lines, too.
const suggestions = document.createElement("ul");
let asked; // the field
let wait; // until the suggestions are requested
let best = -1; // the chosen one
let asking = 0;
let typed = ""; // what a suggestion replaces
const before = () => asked.value.slice(0, asked.selectionStart);
function pick(n) {
  best = n;
  [...suggestions.children].forEach((o, i) => o.setAttribute("aria-selected", String(i === n)));
  if (n < 0) { asked.removeAttribute("aria-activedescendant"); return; }
  asked.setAttribute("aria-activedescendant", suggestions.children[n].id);
  suggestions.children[n].scrollIntoView({ block: "nearest" });
}
function offer(texts) {
  suggestions.replaceChildren(...texts.map(([text, about], i) => {
    const option = document.createElement("li");
    option.id = `suggestion-${i}`;
    option.setAttribute("role", "option");
    option.dataset.text = option.textContent = text;
    if (about) {
      const note = document.createElement("span");
      note.className = "small quiet";
      note.textContent = ` ${about}`;
      option.append(note);
    }
    return option;
  }));
  pick(-1);
  suggestions.hidden = !texts.length;
  if (asked.matches("input")) { asked.setAttribute("aria-expanded", String(texts.length > 0)); }
  if (texts.length) { say(`${texts.length} suggestion${texts.length > 1 ? "s" : ""}`); }
}
function quiet() { clearTimeout(wait); asking++; offer([]); }
async function suggest() {
  const turn = ++asking;
  try {
    const answer = await fetch(`${asked.dataset.suggest}?q=${encodeURIComponent(before().slice(-2000))}`, { headers: { Accept: "application/json" } });
    const found = answer.ok && !answer.redirected ? await answer.json() : { texts: [] };
    if (turn === asking) { typed = found.typed; offer(found.texts); }
  } catch {
    if (turn === asking) { quiet(); }
  }
}
function insert(option) {
  const text = option.dataset.text, end = asked.selectionStart, open = /[:(\[ ]$/.test(text);
  if (before().endsWith(typed)) { asked.setRangeText(open ? text : text + " ", end - typed.length, end, "end"); }
  quiet();
  if (open || asked.matches("textarea")) { suggest(); }
}
for (const field of all("[data-suggest]")) {
  const lines = field.matches("textarea");
  if (!asked) {
    Object.assign(suggestions, { id: "suggestions", hidden: true, role: "listbox", ariaLabel: "Suggestions" });
    field.after(suggestions);
  }
  asked ||= field;
  for (const [name, value] of Object.entries({ "aria-autocomplete": "list", "aria-haspopup": "listbox", "aria-controls": "suggestions", ...(!lines && { role: "combobox", "aria-expanded": "false" }) })) { field.setAttribute(name, value); }
  field.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(/\S$/.test(before()) || lines ? suggest : quiet, 150); });
  field.addEventListener("focus", () => { asked = field; field.after(suggestions); if (!field.value) { suggest(); } }); // what there is
  field.addEventListener("blur", quiet);
  field.form.addEventListener("submit", quiet);
  field.addEventListener("keydown", (event) => {
    const n = suggestions.children.length;
    if (event.isComposing || event.altKey) { return; }
    if (event.key === "Enter" && lines && !event.shiftKey && (best < 0 || event.ctrlKey || event.metaKey)) {
      field.form.requestSubmit();
    } else if (event.ctrlKey || event.metaKey || event.shiftKey) {
      return;
    } else if (event.key === "ArrowDown" && !n && !lines) {
      suggest();
    } else if (n && event.key === "ArrowDown") {
      pick((best + 1) % n);
    } else if (n && event.key === "ArrowUp") {
      pick(best > 0 ? best - 1 : n - 1);
    } else if (n && event.key === "Enter" && best >= 0) {
      insert(suggestions.children[best]);
    } else if (n && event.key === "Escape") {
      quiet();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  });
}
suggestions.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
suggestions.addEventListener("click", (event) => { const option = event.target.closest("li"); if (option) { insert(option); } });

// Selection: a box with data-picks selects all rows, and shows whether all are.
document.addEventListener("change", (event) => {
  const head = one("[data-picks]"), box = event.target;
  if (!head || !box.matches(".pick")) { return; }
  const boxes = all("tbody .pick");
  if (box === head) { boxes.forEach((b) => { b.checked = head.checked; }); }
  const n = boxes.filter((b) => b.checked).length;
  head.checked = n === boxes.length;
  say(`${n} selected`);
});

// Place: after a change of many rows, the list and the row that keys act on stay where they were.
addEventListener("submit", (event) => {
  if (event.target.matches("#bulk")) { sessionStorage.place = JSON.stringify([location.pathname, scrollY, chosen]); }
});

// Visited: the last pages, for the palette.
const palette = one("a[data-palette]");
const visited = () => { try { return JSON.parse(localStorage.visited || "[]"); } catch { return []; } };
try {
  const here = [document.title.replace(/ · sett$/, ""), location.pathname];
  if (!one(".bare")) { localStorage.visited = JSON.stringify(palette ? [here, ...visited().filter(([, path]) => path !== here[1])].slice(0, 8) : []); }
} catch { /* the browser keeps nothing */ }

// Palette: Ctrl-K loads and opens it. Mention: the first @ in a comment loads what completes names.
function call(name, src, ...args) {
  if (window[name]) { window[name](...args); return; }
  window[name] = () => {};
  const script = document.createElement("script");
  script.src = src;
  script.onload = () => window[name](...args);
  document.head.append(script);
}
const openPalette = () => call("goTo", palette.dataset.palette);
document.addEventListener("input", (event) => {
  const area = event.target, names = area.closest("[data-mention]");
  if (names && area.value.includes("@")) { call("mention", names.dataset.mention, area); }
});
if (palette) {
  palette.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) { return; }
    event.preventDefault();
    openPalette();
  });
}

// Keys.
const typing = (e) => e.isContentEditable || e.tagName === "TEXTAREA" || e.tagName === "SELECT" || e.tagName === "INPUT" && !["checkbox", "radio", "button", "submit"].includes(e.type);
let chosen = -1;
let going = 0;
function choose(step) {
  const rows = all("[data-row]");
  if (!rows.length) { return false; }
  const now = rows.findIndex((r) => r.getAttribute("aria-selected") === "true");
  chosen = Math.min(rows.length - 1, Math.max(0, (step ? now : chosen) + step));
  rows.forEach((r, i) => i === chosen ? r.setAttribute("aria-selected", "true") : r.removeAttribute("aria-selected"));
  rows[chosen].scrollIntoView({ block: "nearest" });
  const link = one("a", rows[chosen]);
  if (link) { link.focus({ preventScroll: true }); }
  return true;
}
if (sessionStorage.place) {
  const [path, top, row] = JSON.parse(sessionStorage.place);
  sessionStorage.removeItem("place");
  if (path === location.pathname) { scrollTo(0, top); if (row >= 0) { chosen = row; choose(0); } }
}
function press(key) {
  const selected = one('[data-row][aria-selected="true"]');
  const target = selected && one(`[data-key="${CSS.escape(key)}"]`, selected) || one(`[data-key="${CSS.escape(key)}"]`);
  if (!target) { return false; }
  if (selected && target.form && target.form.matches("#bulk") && !one(".pick:checked")) { one(".pick", selected).checked = true; }
  if (target.matches("input[type=search], input[type=text], textarea, select")) { target.focus(); target.select && target.select(); } else { target.click(); }
  return true;
}
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    for (const menu of all("details.menu[open]")) { menu.open = false; one("summary", menu).focus(); }
    return;
  }
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k" && palette) {
    event.preventDefault();
    openPalette();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) { return; }
  let used = true;
  if (going && event.timeStamp - going < 1500) {
    going = 0;
    const link = one(`[data-go~="${CSS.escape(event.key)}"]`);
    if (link) { link.click(); }
    used = Boolean(link);
  } else if (event.key === "g") {
    going = event.timeStamp;
  } else if (event.key === "?") {
    one("#keys").togglePopover();
  } else if (event.key === "j") {
    used = choose(1) || press("j");
  } else if (event.key === "k") {
    used = choose(-1) || press("k");
  } else if (event.key === "x") {
    const pick = one('[data-row][aria-selected="true"] .pick');
    if (pick) { pick.click(); }
  } else if (event.key.length === 1) {
    used = press(event.key);
  } else {
    used = false;
  }
  if (used) { event.preventDefault(); }
});
