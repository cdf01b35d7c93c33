// Completes the names of people behind an @ in comments. app.js loads it at the first @. The people are the members of
// the project. A list below the text offers them: arrow keys choose, Enter or Tab inserts, Escape closes.
"use strict";

window.mention = (() => {
  const list = document.createElement("ul");
  list.id = "mentions";
  list.className = "mentions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "People");
  let area;
  let best = 0;
  const people = () => all("#people option").map((o) => o.value);
  const begun = () => /(?:^|[^\p{L}\p{N}_.@/-])@([^\s@]*)$/u.exec(area.value.slice(0, area.selectionStart));
  const meets = (name, typed) => [name.replace(/\s/g, ""), ...name.split(/\s+/)].some((part) => part.toLowerCase().startsWith(typed));

  function close() {
    list.hidden = true;
    if (area) { area.removeAttribute("aria-activedescendant"); }
  }
  function choose(n) {
    best = n;
    [...list.children].forEach((o, i) => o.setAttribute("aria-selected", String(i === n)));
    area.setAttribute("aria-activedescendant", list.children[n].id);
    list.children[n].scrollIntoView({ block: "nearest" });
  }
  function insert(name) {
    const end = area.selectionStart;
    area.setRangeText(`@${name.replace(/\s/g, "")} `, end - begun()[1].length - 1, end, "end");
    close();
  }
  function show(target) {
    area = target;
    const word = begun();
    const found = word ? people().filter((name) => meets(name, word[1].toLowerCase())).slice(0, 8) : [];
    if (!found.length) { close(); return; }
    for (const [name, value] of Object.entries({ "aria-autocomplete": "list", "aria-haspopup": "listbox", "aria-controls": "mentions" })) { area.setAttribute(name, value); }
    list.replaceChildren(...found.map((name, i) => {
      const option = document.createElement("li");
      option.id = `mention-${i}`;
      option.setAttribute("role", "option");
      option.textContent = name;
      return option;
    }));
    if (area.nextElementSibling !== list) { area.after(list); }
    list.hidden = false;
    choose(0);
    say(`${found.length} ${found.length > 1 ? "people" : "person"}: ${found[0]}`);
  }

  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the text keeps the focus
  list.addEventListener("click", (event) => { if (event.target.matches("li")) { insert(event.target.textContent); } });
  document.addEventListener("focusout", (event) => { if (event.target === area) { close(); } });
  document.addEventListener("keydown", (event) => {
    if (event.target !== area || list.hidden || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) { return; }
    const n = list.children.length;
    if (event.key === "ArrowDown") {
      choose((best + 1) % n);
    } else if (event.key === "ArrowUp") {
      choose((best + n - 1) % n);
    } else if (event.key === "Enter" || event.key === "Tab" && !event.shiftKey) {
      insert(list.children[best].textContent);
    } else if (event.key === "Escape") {
      close();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }, true);
  return show;
})();
