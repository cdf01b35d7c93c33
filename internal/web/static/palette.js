// The palette, which app.js loads: it shows the results of the search page on every page, after what can be done on this page and where the
// user was last. The arrow keys move through the list.
"use strict";

let sheet, keyed;
function entry(name, note, act) {
  const item = document.createElement("li"), link = document.createElement(typeof act === "string" ? "a" : "button"), said = document.createElement("span");
  if (link.tagName === "A") { link.href = act; } else { link.addEventListener("click", () => { sheet.close(); act(); }); }
  link.className = "ends plain";
  said.className = "small quiet";
  said.textContent = note;
  link.append(name, said);
  item.append(link);
  return item;
}
function nearby(text) {
  const has = (name) => name.toLowerCase().includes(text);
  const actions = all("main [data-key]").filter((e) => e.matches("button, a") && e.checkVisibility()).map((e) => [(e.getAttribute("aria-label") || e.textContent).trim(), e]);
  return [
    ...actions.filter(([name]) => name && has(name)).map(([name, e]) => entry(name, "On this page", () => e.click())),
    ...visited().filter(([name, path]) => path !== location.pathname && has(name)).map(([name, path]) => entry(name, "Recent", path)),
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
    const shown = first.map((item) => one("a", item)?.href);
    list.replaceChildren(...first, ...all("li", found).filter((item) => !shown.includes(one("a", item)?.href)));
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
  const input = document.createElement("input"), list = document.createElement("ul");
  sheet.className = "sheet palette";
  sheet.setAttribute("aria-label", "Go to");
  input.type = "search";
  input.setAttribute("aria-label", "Project, error, site, check-in, page or person");
  input.placeholder = "Project, error, site, check-in, page or person";
  input.maxLength = 200;
  list.className = "rows";
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
