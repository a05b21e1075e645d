// The flame graph, drawn on a canvas: only what can be seen of it.

function redraw(app) {
  drawOnce(app, () => draw(app));
}

// drawOnce draws once before the next frame of the screen, however often it is asked to.
function drawOnce(picture, drawIt) {
  if (picture.drawing) return;
  picture.drawing = requestAnimationFrame(() => {
    picture.drawing = 0;
    drawIt();
  });
}

function draw(app) {
  const { tree, zoomed, size } = app;
  const pen = app.parts.canvas.getContext("2d");
  pen.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
  pen.clearRect(0, 0, size.width, size.height);
  pen.font = `12px ${app.colors.mono}`;
  pen.textBaseline = "middle";
  pen.direction = "ltr";
  const view = viewOf(app, pen);
  for (const node of pathTo(tree, zoomed)) drawNode(app, pen, view, node, 0, size.width);
  const scale = size.width / tree.total[zoomed], from = tree.start[zoomed];
  for (let i = zoomed + 1; i < tree.end[zoomed];) {
    const width = tree.total[i] * scale, x = (tree.start[i] - from) * scale;
    if (tree.depth[i] > view.last || width === 0) i = tree.end[i];
    else if (width < NARROW) i = drawNarrow(app, pen, view, i, x);
    else drawNode(app, pen, view, i++, x, width);
  }
  drawChosen(app, pen, view);
}

// viewOf is what of the graph is to be drawn.
function viewOf(app, pen) {
  const top = app.parts.scroll.scrollTop, depths = [rowAt(app, top), rowAt(app, top + app.size.height)];
  return {
    top, first: Math.min(...depths), last: Math.max(...depths), letter: pen.measureText("m").width,
    narrow: new Map(), // by depth, the last pixel that holds what is too narrow
  };
}

// drawNode draws one frame with as much of its name as fits.
function drawNode(app, pen, view, node, x, width) {
  const { tree } = app, depth = tree.depth[node];
  if (depth < view.first || depth > view.last) return;
  const y = rowY(app, depth) - view.top, frame = tree.frame[node];
  const above = node < app.zoomed;
  const found = app.found && app.found[frame], dim = above || app.found && !found;
  pen.fillStyle = found ? app.colors.found : dim ? app.colors.dim : fillOf(app, node);
  const gap = width > 3 ? 1 : 0;
  pen.fillRect(x, y, width - gap, ROW - 1);
  if (app.data.remarks[tree.remark[node]][1] && width > 6) {
    pen.fillStyle = app.colors.warn;
    pen.fillRect(x, y + ROW - 4, width - gap, 3);
  }
  const letters = Math.floor((width - 8) / view.letter);
  if (letters < 3) return;
  pen.fillStyle = found ? app.colors.foundText : dim ? app.colors.dimText : app.colors.text;
  pen.fillText(fitted(nameOf(app, node), letters), x + 4, y + ROW / 2);
}

// nameOf is what a node is called; the root says what all is.
function nameOf(app, node) {
  return node === 0 ? app.rootName : app.data.frames[app.tree.frame[node]].name;
}

// fitted cuts a name to so many letters.
function fitted(name, letters) {
  return name.length <= letters ? name : name.slice(0, letters - 1) + "…";
}

// drawNarrow draws, of frames that are narrower than a pixel, one for each pixel, and
// passes what they call. It returns the next node.
function drawNarrow(app, pen, view, node, x) {
  const depth = app.tree.depth[node], pixel = Math.floor(x);
  if (depth >= view.first && view.narrow.get(depth) !== pixel) {
    view.narrow.set(depth, pixel);
    const found = app.found && app.found[app.tree.frame[node]];
    pen.fillStyle = found ? app.colors.found : app.colors.group;
    pen.fillRect(pixel, rowY(app, depth) - view.top, 1, ROW - 1);
  }
  return app.tree.end[node];
}

// drawChosen frames the node that keys and details are about.
function drawChosen(app, pen, view) {
  if (app.at < 0 || app.at >= app.tree.length) return;
  const [x, width] = spanOf(app, app.at);
  pen.strokeStyle = app.colors.chosen;
  pen.lineWidth = 2;
  pen.strokeRect(x + 1, rowY(app, app.tree.depth[app.at]) - view.top + 1, Math.max(width - 3, 2), ROW - 3);
}

// zoom makes a node as wide as the page.
function zoom(app, node) {
  if (app.tree.total[node] <= 0 && node > 0) return; // it has no width
  app.zoomed = node;
  app.at = node;
  reveal(app, node);
  redraw(app);
  showPath(app);
  showDetails(app);
  showTable(app);
  showFound(app);
}

// choose makes a node the one that keys and details are about, and brings it into view.
function choose(app, node) {
  if (node < 0) return;
  app.at = node;
  const { tree, zoomed } = app;
  const inside = node >= zoomed && node < tree.end[zoomed] || node < zoomed && tree.end[node] >= tree.end[zoomed];
  if (!inside) {
    zoom(app, commonAbove(tree, zoomed, node));
    app.at = node;
  }
  reveal(app, node);
  redraw(app);
  showDetails(app);
}

// commonAbove is the lowest node above both.
function commonAbove(tree, a, b) {
  while (b < a || b >= tree.end[a]) a = tree.parent[a];
  return a;
}

// showPath shows what is above the zoomed node, to go back to.
function showPath(app) {
  const path = pathTo(app.tree, app.zoomed), shown = path.length > 6 ? [...path.slice(0, 2), ...path.slice(-4)] : path;
  byId("path").replaceChildren(...shown.map((node, i) => {
    const button = element("button", "name", (i === 2 && shown !== path ? "… " : "") + nameOf(app, node));
    button.type = "button";
    button.addEventListener("click", () => zoom(app, node));
    return button;
  }));
}
