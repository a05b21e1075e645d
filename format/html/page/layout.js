// Where frames are on the canvas.

const ROW = 19;

// Edge of the canvas: what is narrower than this is not drawn one by one.
const NARROW = 0.6;

// rowY is the upper edge of a row in all that can be scrolled through.
function rowY(app, depth) {
  return app.icicle ? depth * ROW : (app.tree.deepest - depth) * ROW;
}

// rowAt is the depth of the row at a height.
function rowAt(app, y) {
  const row = Math.floor(y / ROW);
  return app.icicle ? row : app.tree.deepest - row;
}

// spanOf is where a node begins and how wide it is. What is above the zoomed node is as
// wide as all of it.
function spanOf(app, node) {
  const { tree, zoomed } = app, width = app.size.width;
  if (node <= zoomed && tree.end[node] >= tree.end[zoomed]) return [0, width];
  const scale = width / tree.total[zoomed];
  return [(tree.start[node] - tree.start[zoomed]) * scale, tree.total[node] * scale];
}

// resize fits the canvas into the page, at the resolution of the screen.
function resize(app) {
  const { canvas, scroll, space } = app.parts;
  const height = (app.tree.deepest + 1) * ROW;
  space.style.height = height + "px";
  const width = scroll.clientWidth, visible = Math.min(height, Math.max(scroll.clientHeight, ROW));
  const ratio = window.devicePixelRatio || 1;
  app.size = { width, height: visible, ratio };
  canvas.style.width = width + "px";
  canvas.style.height = visible + "px";
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(visible * ratio);
}

// nodeAt is the node at a place on the canvas, -1 for none.
function nodeAt(app, x, y) {
  const { tree, zoomed } = app;
  const depth = rowAt(app, y + app.parts.scroll.scrollTop);
  if (depth < 0 || depth > tree.deepest) return -1;
  if (depth <= tree.depth[zoomed]) return pathTo(tree, zoomed)[depth];
  const value = tree.start[zoomed] + x / app.size.width * tree.total[zoomed];
  let node = zoomed;
  while (node >= 0 && tree.depth[node] < depth) node = calleeAt(tree, node, value);
  return node;
}

// calleeAt is the callee of a node that a value lies in.
function calleeAt(tree, node, value) {
  for (let c = node + 1; c < tree.end[node]; c = tree.end[c]) {
    if (value >= tree.start[c] && value < tree.start[c] + tree.total[c]) return c;
  }
  return -1;
}

// reveal scrolls so that a node's row can be seen.
function reveal(app, node) {
  const { scroll } = app.parts, y = rowY(app, app.tree.depth[node]);
  if (y < scroll.scrollTop) scroll.scrollTop = y;
  else if (y + ROW > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = y + ROW - scroll.clientHeight;
}

// revealRoot scrolls to where stacks begin.
function revealRoot(app) {
  app.parts.scroll.scrollTop = app.icicle ? 0 : app.parts.scroll.scrollHeight;
}
