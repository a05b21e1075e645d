// The list of threads, of which any may be chosen.

function bindThreads(app) {
  const list = byId("threads");
  app.entries = entriesOf(app);
  list.replaceChildren(...app.entries.map((e) => e.item));
  app.entry = 0;
  list.addEventListener("click", (event) => {
    const item = event.target.closest("li");
    const at = app.entries.findIndex((e) => e.item === item);
    if (at >= 0) takeEntry(app, at, event.ctrlKey || event.metaKey);
  });
  list.addEventListener("keydown", (event) => threadKey(app, event));
  byId("thread-filter").addEventListener("input", (event) => filterThreads(app, event.target.value));
  markChosen(app);
}

// entriesOf are all threads together, of several processes each, and each thread.
function entriesOf(app) {
  const { data } = app, entries = [];
  const add = (item, threads) => {
    item.setAttribute("role", "option");
    item.id = "thread-" + entries.length;
    entries.push({ item, threads, text: item.textContent.toLowerCase() });
  };
  add(element("li", "", null, headOf("All threads", count(data.threads.length))), data.threads);
  const locked = lockedThreads(data);
  data.processes.forEach((process, at) => {
    const own = data.threads.filter((t) => t.process === at);
    if (data.processes.length > 1) add(element("li", "process", null, headOf(process.header.name, count(own.length)), element("div", "wait", process.header.summary)), own);
    if (!data.compared || own.length > 1) for (const t of own) add(threadItem(app, t, locked), [t]);
  });
  return entries;
}

function headOf(name, share) {
  return element("div", "head", null, element("span", "name", name), element("span", "share", share));
}

// threadItem shows a thread with its state and what it waits for.
function threadItem(app, t, locked) {
  const item = element("li", "", null, headOf(t.name + (t.main ? " (main)" : ""), app.sampled ? count(t.sums[0]) + " samples" : ""));
  if (locked.has(t.process + " " + t.id)) item.append(element("div", "locked", "deadlocked"));
  const state = t.facts.length > 0 ? t.facts[0] : t.state;
  item.append(element("div", "state " + t.state.split(" ")[0], state));
  for (const line of t.waits) item.append(element("div", "wait waits", line));
  if (t.missing) item.append(element("div", "wait doubt", t.missing));
  return item;
}

// lockedThreads are those of deadlocks, by process and id.
function lockedThreads(data) {
  const all = new Set();
  deadlocksOf(data).forEach((d) => d.waiters.forEach((w) => all.add(w.process + " " + w.id)));
  return all;
}

// takeEntry chooses what an entry stands for, or adds it or takes it away.
function takeEntry(app, at, more) {
  const { threads } = app.entries[at];
  app.entry = at;
  if (more && threads.length === 1 && app.chosen.length < app.data.threads.length) {
    const rest = app.chosen.filter((t) => t !== threads[0]);
    const added = rest.length === app.chosen.length ? [...rest, threads[0]] : rest;
    app.chosen = added.length > 0 ? added.sort((a, b) => a.index - b.index) : app.data.threads;
  } else app.chosen = threads;
  markChosen(app);
  rebuild(app);
}

function markChosen(app) {
  const all = app.chosen.length === app.data.threads.length, chosen = new Set(app.chosen);
  app.entries.forEach((e, i) => {
    const is = e.threads.length === 1 && i > 0 && e.item.className !== "process" ? !(all && app.entries.length > 2) && chosen.has(e.threads[0]) : e.threads.length === chosen.size && e.threads.every((t) => chosen.has(t));
    e.item.setAttribute("aria-selected", String(is));
  });
  moveEntry(app, app.entry);
}

// moveEntry puts the keyboard's place in the list.
function moveEntry(app, at) {
  app.entries[app.entry].item.classList.remove("at");
  app.entry = at;
  app.entries[at].item.classList.add("at");
  byId("threads").setAttribute("aria-activedescendant", app.entries[at].item.id);
}

function threadKey(app, event) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by) {
    let at = app.entry + by;
    while (app.entries[at] && app.entries[at].item.hidden) at += by;
    if (app.entries[at]) {
      moveEntry(app, at);
      app.entries[at].item.scrollIntoView({ block: "nearest" });
    }
  } else if (event.key === "Enter" || event.key === " ") takeEntry(app, app.entry, event.ctrlKey || event.metaKey || event.key === " ");
  else return;
  event.preventDefault();
  event.stopPropagation();
}

// filterThreads shows those in whose entry a text is.
function filterThreads(app, text) {
  const wanted = text.toLowerCase();
  for (const e of app.entries) e.item.hidden = !e.text.includes(wanted);
}

// showChosen says all that is known of the one thread that is chosen.
function showChosen(app) {
  const place = byId("waits");
  place.replaceChildren();
  if (app.chosen.length !== 1) return;
  const [t] = app.chosen;
  place.append(element("h2", "name", t.name + (t.main ? " (main)" : "")), element("div", "faint", t.facts.join("  ·  ")));
  for (const line of t.waits) place.append(element("div", "waits", line));
  if (t.missing) place.append(element("div", "doubt", t.missing));
}
