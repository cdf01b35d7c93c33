// The palette, which app.js loads: it shows the results of the search page on every page, after what can be done with the open error and on
// this page, and where the user was last. The arrow keys move through the list.
"use strict";

const mostActions = 8;
let sheet, keyed;
function entry(name, act) {
  const item = document.createElement("li"), link = document.createElement(typeof act === "string" ? "a" : "button"), said = document.createElement("span");
  if (link.tagName === "A") { link.href = act; } else { link.addEventListener("click", () => { sheet.close(); act(); }); }
  link.className = "ends plain";
  said.className = "cut";
  said.textContent = name;
  link.append(said);
  item.append(link);
  return item;
}
function group(name, items) {
  if (!items.length) { return []; }
  const part = document.createElement("div"), title = document.createElement("h2"), list = document.createElement("ul");
  part.className = "group";
  title.className = "title";
  title.textContent = name;
  list.className = "rows";
  list.append(...items);
  part.append(title, list);
  return [part];
}
const textOf = (e) => (e.getAttribute("aria-label") || e.textContent).replace(/\s+/g, " ").trim();
// The forms of the page of an error say what can be done with it, also in menus that are closed. Whom else to assign it to, and other pauses
// than the first, are only found by their names.
function onError() {
  const [path] = location.pathname.match(/^.*\/faults\/\d+$/) || [], me = document.body.dataset.user;
  const acts = [];
  const add = (form, called) => path && all(`main form[action="${path}/${form}"] button[name]`).forEach((e, i) => {
    const [name, more] = called(e, i);
    if (!acts.some((act) => act.name === name)) { acts.push({ name, more, act: () => e.click() }); }
  });
  add("state", (e) => [textOf(e), false]);
  add("assign", (e) => [e.value === me ? "Assign to me" : e.value ? `Assign to ${textOf(e)}` : "Unassign", e.value !== me]);
  add("pause", (e, i) => [`Pause ${textOf(e)}`, i > 0]);
  const file = path && one(`main a[href^="${path}.md"]`);
  return file ? [...acts, { name: "Copy as Markdown", act: () => copyFile(file.href) }] : acts;
}
async function copyFile(address) {
  try {
    const answer = await fetch(address);
    if (!answer.ok) { throw new Error(answer.statusText); }
    await navigator.clipboard.writeText(await answer.text());
    say("Copied.");
  } catch { say("Not copied."); }
}
function nearby(text) {
  const has = (name) => name.toLowerCase().includes(text);
  const acts = onError(), title = acts.length ? "This error" : "This page";
  for (const e of all("main [data-key]")) {
    const name = textOf(e);
    if (e.matches("button, a") && e.checkVisibility() && name && !acts.some((act) => act.name === name)) { acts.push({ name, act: () => e.click() }); }
  }
  return [
    ...group(title, acts.filter(({ name, more }) => has(name) && (text || !more)).slice(0, mostActions).map(({ name, act }) => entry(name, act))),
    ...group("Recent", visited().filter(([name, path]) => path !== location.pathname && has(name)).map(([name, path]) => entry(name, path))),
  ];
}
async function fill(input, list) {
  const text = input.value.trim();
  const first = nearby(text.toLowerCase());
  try {
    const address = new URL(palette.href);
    address.searchParams.set("q", text);
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    const found = one("#found", new DOMParser().parseFromString(await answer.text(), "text/html"));
    if (input.value.trim() !== text) { return; }
    if (!answer.ok || answer.redirected || !found) { location.assign(palette.href); return; }
    const shown = first.flatMap((part) => all("a", part).map((link) => link.href));
    for (const item of all("li", found)) { if (shown.includes(one("a", item)?.href)) { item.remove(); } }
    list.replaceChildren(...first, ...all(".group", found).filter((part) => one("li", part)));
    if (!list.children.length) { list.append(...all(".empty", found)); }
    if (text) { say(`${all("a, button", list).length} results`); }
  } catch {
    list.replaceChildren(...first);
    say("The search is not available.");
  }
}
window.goTo = () => {
  if (sheet && sheet.open) { return; }
  sheet = document.createElement("dialog");
  const input = document.createElement("input"), list = document.createElement("div");
  sheet.className = "sheet palette";
  sheet.setAttribute("aria-label", "Find");
  input.type = "search";
  input.setAttribute("aria-label", "Project, error, site, check-in, page or person");
  input.placeholder = "Project, error, site, check-in, page or person";
  input.maxLength = 200;
  sheet.append(input, list);
  sheet.addEventListener("close", () => sheet.remove());
  sheet.addEventListener("click", (event) => { if (event.target === sheet) { sheet.close(); } }); // the backdrop
  input.addEventListener("input", () => { clearTimeout(keyed); keyed = setTimeout(fill, 120, input, list); });
  sheet.addEventListener("keydown", (event) => {
    const links = all("a, button", list), at = links.indexOf(document.activeElement);
    if (event.isComposing) { return; }
    event.stopPropagation();
    if ((event.ctrlKey || event.metaKey) && event.key === "k") {
      input.select();
    } else if (event.key === "ArrowDown") {
      (links[at + 1] || links[at] || input).focus();
    } else if (event.key === "ArrowUp") {
      (links[at - 1] || input).focus();
    } else if (event.key === "Enter" && event.target === input && links.length) {
      links[0].click();
    } else {
      return;
    }
    event.preventDefault();
  });
  document.body.append(sheet);
  sheet.showModal();
  input.focus();
  fill(input, list);
};
