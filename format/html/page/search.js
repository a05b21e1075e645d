// Search by regular expression, in names of functions and of the files they lie in.

// exactly is an expression for one name.
function exactly(name) {
  return "^" + name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "$";
}

function searchFor(app, text) {
  byId("search").value = text;
  search(app, text);
}

// search marks the frames that match; no text marks none.
function search(app, text) {
  const input = byId("search");
  app.found = null;
  app.wrong = "";
  try {
    if (text) app.found = matching(app.data, new RegExp(text));
  } catch (error) {
    app.wrong = "not a regular expression: " + error.message.replace(/^.*: /, "");
  }
  input.setAttribute("aria-invalid", String(app.wrong !== ""));
  redraw(app);
  showFound(app);
  showTable(app);
}

// matching says of each frame whether it matches.
function matching(data, expression) {
  return Uint8Array.from(data.frames, (f) => {
    if (f.kind === FUNCTION && f.image >= 0 && expression.test(baseName(data.images[f.image]))) return 1;
    return expression.test(f.name) ? 1 : 0;
  });
}

// showFound says how much of what is shown matches, each sample counted once.
function showFound(app) {
  const found = byId("found");
  found.className = app.wrong ? "bad" : "";
  found.textContent = app.wrong;
  if (app.wrong || !app.found) return;
  const { tree, zoomed } = app;
  let sum = 0, nodes = 0;
  for (let i = zoomed; i < tree.end[zoomed];) {
    if (app.found[tree.frame[i]]) {
      sum += tree.total[i];
      nodes++;
      i = tree.end[i];
    } else i++;
  }
  found.textContent = nodes === 0 ? "no match" : `${percent(sum, tree.total[zoomed])} in ${count(nodes)} ${nodes === 1 ? "place" : "places"}`;
}

// step goes to the next match, or by -1 to the one before, around the end.
function step(app, by) {
  const { tree } = app;
  if (!app.found) return;
  for (let n = 1; n <= tree.length; n++) {
    const node = (((app.at + by * n) % tree.length) + tree.length) % tree.length;
    if (app.found[tree.frame[node]]) {
      choose(app, node);
      return;
    }
  }
}
