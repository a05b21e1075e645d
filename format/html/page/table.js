// The table of functions by self and total, of what is zoomed to.

const ROWS = 100; // that are shown at first, and more with each wish

const plainColumns = [
  { key: "name", name: "Function", className: "wide" },
  { key: "image", name: "File", className: "image" },
  { key: "self", name: "Self" }, { key: "self", name: "Self %", share: true },
  { key: "total", name: "Total" }, { key: "total", name: "Total %", share: true },
];

// bindTable makes the heads of the columns, by which the table is sorted.
function bindTable(app) {
  app.columns = app.data.compared ? comparedColumns : plainColumns;
  app.sort = { key: app.data.compared ? "selfChange" : "self", down: true };
  app.heads = app.columns.map((column) => {
    const button = element("button", "", column.name), head = element("th", column.className || "", null, button);
    button.type = "button";
    head.scope = "col";
    button.addEventListener("click", () => {
      const number = column.key !== "name" && column.key !== "image";
      app.sort = { key: column.key, down: app.sort.key === column.key ? !app.sort.down : number };
      showTable(app);
    });
    return head;
  });
  document.querySelector("#table thead tr").replaceChildren(...app.heads);
  byId("more").addEventListener("click", () => showTable(app, app.rows + 5 * ROWS));
}

function showTable(app, rows = ROWS) {
  app.rows = rows;
  app.heads.forEach((head, i) => {
    if (app.columns[i].key === app.sort.key && !app.columns[i].share) head.setAttribute("aria-sort", app.sort.down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
  const sums = (app.data.compared ? comparedSums : functionSums)(app, app.tree, app.zoomed), all = app.tree.total[app.zoomed];
  const frames = sums.seen.filter((f) => app.data.frames[f].kind !== GROUP && (!app.found || app.found[f]));
  frames.sort(order(app, sums));
  document.querySelector("#table tbody").replaceChildren(...frames.slice(0, rows).map((f) => row(app, sums, f, all)));
  const more = byId("more"), left = frames.length - rows;
  more.hidden = left <= 0;
  more.textContent = `${count(Math.max(0, left))} more`;
  byId("table-note").textContent = `${count(frames.length)} ${app.found ? "that match" : "in all"}; ${app.data.compared ? "both sides as compared, whatever is zoomed to" : `shares are of ${app.zoomed > 0 ? "what is zoomed to" : "all that is shown"}`}. Self: it was the innermost. Total: it was on the stack.`;
}

// order compares frames by the column that is sorted by, and then by the other sums.
function order(app, sums) {
  const { key, down } = app.sort, sign = down ? -1 : 1;
  const text = (f) => key === "image" ? baseName(imageOf(app.data, f)) : app.data.frames[f].name;
  if (key.endsWith("Change")) return (a, b) => sign * (Math.abs(sums[key][a]) - Math.abs(sums[key][b])) || Math.abs(sums.totalChange[b]) - Math.abs(sums.totalChange[a]) || a - b;
  if (key.endsWith("Before") || key.endsWith("After")) return (a, b) => sign * (sums[key][a] - sums[key][b]) || a - b;
  if (key === "self" || key === "total") {
    const other = key === "self" ? sums.total : sums.self;
    return (a, b) => sign * (sums[key][a] - sums[key][b]) || other[b] - other[a] || a - b;
  }
  return (a, b) => sign * (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0) || a - b;
}

function row(app, sums, f, all) {
  const { name } = app.data.frames[f], path = imageOf(app.data, f);
  const button = element("button", "name", name), file = element("td", "image", baseName(path));
  button.type = "button";
  button.title = name.length > 300 ? name.slice(0, 300) + "…" : name;
  button.addEventListener("click", () => searchFor(app, exactly(name)));
  button.addEventListener("keydown", (event) => {
    if (event.key === "h") hide(app, f);
  });
  file.title = path;
  const line = element("tr", "", null, element("td", "wide", null, button), file);
  if (app.data.compared) {
    line.append(...comparedCells(app, sums, f));
    return line;
  }
  for (const key of ["self", "total"]) {
    const share = element("td", "share", percent(sums[key][f], all));
    share.style.setProperty("--part", (all > 0 ? 100 * sums[key][f] / all : 0) + "%");
    line.append(element("td", "", shownMeasure(app).write(sums[key][f])), share);
  }
  return line;
}
