// Keys.

const keyTexts = [
  ["/", "search"], ["n  N", "next match, the one before"], ["Esc", "end the search, then zoom out to all"],
  ["← → ↑ ↓", "move from frame to frame"], ["Enter", "zoom to the frame"], ["Backspace", "zoom out by one"],
  ["h", "hide the function"], ["u", "show what was hidden"], ["i", "flame graph or icicle"], ["s", "by thread or together"],
  ["t", "light or dark"], ["?", "these keys"],
];

function bindKeys(app) {
  const list = document.querySelector("#keys dl");
  for (const [key, text] of keyTexts) list.append(element("dt", "", null, element("kbd", "", key)), element("dd", "", text));
  addEventListener("keydown", (event) => pressed(app, event));
}

function pressed(app, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input:not([type=checkbox]), select");
  if (event.key === "Escape") leave(app, event.target);
  else if (typing && !(event.key === "Enter" && event.target.id === "search")) return;
  else if (typing) step(app, event.shiftKey ? -1 : 1);
  else if (!(event.target === app.parts.canvas && moved(app, event.key)) && !acted(app, event.key)) return;
  event.preventDefault();
}

// leave goes back by one: from the keys, the search, the zoom.
function leave(app, target) {
  if (!byId("keys").hidden) setHelp(false);
  else if (byId("search").value) searchFor(app, "");
  else if (app.zoomed > 0) zoom(app, 0);
  if (target.id === "search") app.parts.canvas.focus({ preventScroll: true });
}

// acted does what a letter stands for, if it stands for anything.
function acted(app, key) {
  const acts = {
    "/": () => { byId("search").focus(); byId("search").select(); },
    n: () => step(app, 1), N: () => step(app, -1),
    h: () => app.at > 0 && document.activeElement.closest("table") === null && hide(app, app.tree.frame[app.at]),
    u: () => { app.hidden.clear(); showHidden(app); rebuild(app); },
    i: () => setIcicle(app, !app.icicle), s: () => setApart(app, !app.apart),
    t: () => setTheme(app, isDark() ? "light" : "dark"),
    "?": () => setHelp(byId("keys").hidden),
  };
  if (!Object.hasOwn(acts, key)) return false;
  acts[key]();
  return true;
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

// moved goes from the chosen frame to one beside it, if the key says so.
function moved(app, key) {
  const { tree } = app, at = Math.max(0, app.at);
  const inward = app.icicle ? "ArrowDown" : "ArrowUp", outward = app.icicle ? "ArrowUp" : "ArrowDown";
  const to = {
    [inward]: () => tree.end[at] > at + 1 ? at + 1 : at,
    [outward]: () => Math.max(0, tree.parent[at]),
    ArrowRight: () => tree.parent[at] >= 0 && tree.end[at] < tree.end[tree.parent[at]] ? tree.end[at] : at,
    ArrowLeft: () => before(tree, at),
    Home: () => 0,
  };
  if (Object.hasOwn(to, key)) choose(app, to[key]());
  else if (key === "Enter") zoom(app, at);
  else if (key === "Backspace") zoom(app, Math.max(0, tree.parent[app.zoomed]));
  else return false;
  return true;
}

// before is the callee before one of the same caller, itself if it is the first.
function before(tree, node) {
  let last = node;
  for (let c = tree.parent[node] + 1; tree.parent[node] >= 0 && c < node; c = tree.end[c]) last = c;
  return last;
}
