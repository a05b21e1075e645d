// The controls above the graph.

function bindControls(app) {
  const measure = byId("measure"), choices = measuresOf(app.data);
  for (const m of choices) measure.append(new Option(m.key === "samples" && !app.sampled ? "Stacks" : m.name, m.key));
  byId("measured").hidden = choices.length < 2;
  if (app.data.compared) byId("measured").firstChild.data = "Width ";
  measure.value = app.measure.key;
  measure.addEventListener("change", () => {
    app.measure = choices.find((m) => m.key === measure.value);
    rebuild(app);
  });
  byId("apart").checked = app.apart;
  byId("apart").addEventListener("change", (event) => setApart(app, event.target.checked));
  byId("shape").addEventListener("click", () => setIcicle(app, !app.icicle));
  byId("theme").addEventListener("change", (event) => setTheme(app, event.target.value));
  byId("search").addEventListener("input", (event) => search(app, event.target.value));
  byId("next").addEventListener("click", () => step(app, 1));
  byId("previous").addEventListener("click", () => step(app, -1));
  byId("help").addEventListener("click", () => setHelp(byId("keys").hidden));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(app, byId("theme").value));
  addEventListener("resize", () => {
    sizeTimeline(app);
    redrawTimeline(app);
    resize(app);
    redraw(app);
  });
  nameShape(app);
}

function setApart(app, apart) {
  app.apart = apart;
  byId("apart").checked = apart;
  rebuild(app);
}

// setIcicle puts the root at the top, or else at the bottom.
function setIcicle(app, icicle) {
  app.icicle = icicle;
  nameShape(app);
  revealRoot(app);
  reveal(app, Math.max(0, app.at));
  redraw(app);
}

function nameShape(app) {
  byId("shape").textContent = app.icicle ? "Icicle ▾" : "Flame ▴";
  byId("shape").setAttribute("aria-label", app.icicle ? "Root at the top; put it at the bottom" : "Root at the bottom; put it at the top");
}

// setTheme is light, dark or, empty, what the system says.
function setTheme(app, theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  byId("theme").value = theme;
  readColors(app);
  redraw(app);
  redrawTimeline(app);
}

function setHelp(shown) {
  byId("keys").hidden = !shown;
  byId("help").setAttribute("aria-expanded", String(shown));
}
