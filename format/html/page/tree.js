// The tree that is shown: that of the chosen threads, merged or side by side, without
// the functions that are hidden.

// buildTree returns columns of nodes in the order in which they are drawn: each before
// its callees, and these heaviest first.
function buildTree(app) {
  const rough = newRough(app);
  const processes = new Set(app.chosen.map((t) => t.process));
  const root = rough.add(-1, app.data.root, 0);
  const above = new Map();
  for (const thread of app.chosen) {
    let parent = root;
    if (app.apart || processes.size > 1) parent = groupBelow(rough, above, root, app.data.processes[thread.process].group, processes.size > 1);
    if (app.apart) parent = rough.add(parent, thread.group, 0);
    rough.addThread(thread, parent);
  }
  return ordered(rough, app);
}

// groupBelow is the node of a process, which is there only where there are several.
function groupBelow(rough, above, root, group, several) {
  if (!several) return root;
  if (!above.has(group)) above.set(group, rough.add(root, group, 0));
  return above.get(group);
}

// newRough collects nodes in any order that has parents first.
function newRough(app) {
  const { value } = shownMeasure(app);
  const merging = !app.apart || app.hidden.size > 0;
  const frames = app.data.frames.length;
  const parent = [], frame = [], remark = [], self = [], known = new Map();
  const sides = app.data.compared ? [[], []] : []; // what nodes weigh on each, where two are compared
  const add = (above, f, r) => {
    for (const side of sides) side.push(0);
    return self.push(0) && remark.push(r) && frame.push(f) && parent.push(above) - 1;
  };
  const merge = (above, f, r) => {
    const key = above * frames + f;
    let node = known.get(key);
    if (node === undefined) known.set(key, node = add(above, f, r));
    else if (remark[node] !== r) remark[node] = doubtful(app.data, remark[node], r);
    return node;
  };
  const addThread = (thread, top) => {
    const path = [top], { nodes, values } = thread;
    for (let at = 0; at < nodes.length; at += STRIDE) {
      const above = path[nodes[at + DEPTH]], f = nodes[at + FRAME];
      let node = above;
      if (!app.hidden.has(f)) node = merging ? merge(above, f, nodes[at + REMARK]) : add(above, f, nodes[at + REMARK]);
      path[nodes[at + DEPTH] + 1] = node;
      self[node] += values ? values[at / STRIDE] : nodes[at + FIRST_VALUE + value];
      for (let v = 0; v < sides.length; v++) sides[v][node] += nodes[at + FIRST_VALUE + v];
    }
  };
  return { parent, frame, remark, self, sides, add, addThread };
}

// doubtful keeps, of two remarks on one node, that which says to doubt it.
function doubtful(data, a, b) {
  if (data.remarks[a][1]) return a;
  return data.remarks[b][1] ? b : 0;
}

// ordered sums values up, and puts nodes in order, without those that weigh nothing.
function ordered(rough, app) {
  const n = rough.parent.length, total = totals(rough.parent, rough.self);
  const sides = rough.sides.map((self) => totals(rough.parent, self));
  const { first, next } = siblings(rough.parent, sides.length > 0 ? sides[AFTER].map((t, i) => t + sides[BEFORE][i]) : total);
  const tree = {
    parent: new Int32Array(n), end: new Int32Array(n), depth: new Int32Array(n), frame: new Int32Array(n),
    remark: new Int32Array(n), self: new Float64Array(n), total: new Float64Array(n), start: new Float64Array(n),
    sides: sides.map(() => ({ self: new Float64Array(n), total: new Float64Array(n) })), length: 0, deepest: 0, inverted: app.data.processes.some((p) => p.header.inverted),
  };
  const todo = [0, -1, 0]; // node, parent, start
  while (todo.length > 0) {
    const start = todo.pop(), parent = todo.pop(), from = todo.pop();
    const at = tree.length++;
    const depth = parent < 0 ? 0 : tree.depth[parent] + 1;
    tree.parent[at] = parent;
    tree.depth[at] = depth;
    tree.deepest = Math.max(tree.deepest, depth);
    tree.frame[at] = rough.frame[from];
    tree.remark[at] = rough.remark[from];
    tree.self[at] = rough.self[from];
    tree.total[at] = total[from];
    tree.start[at] = start;
    sides.forEach((side, v) => {
      tree.sides[v].self[at] = rough.sides[v][from];
      tree.sides[v].total[at] = side[from];
    });
    pushCallees(todo, first, next, total, from, at, start);
  }
  setEnds(tree);
  return tree;
}

// totals adds to what each node weighs what all below it does.
function totals(parent, self) {
  const total = Float64Array.from(self);
  for (let i = parent.length - 1; i > 0; i--) total[parent[i]] += total[i];
  return total;
}

// siblings links the callees of each node, but for those that weigh nothing.
function siblings(parent, total) {
  const first = new Int32Array(parent.length).fill(-1), next = new Int32Array(parent.length).fill(-1);
  for (let i = parent.length - 1; i > 0; i--) {
    if (total[i] <= 0) continue;
    next[i] = first[parent[i]];
    first[parent[i]] = i;
  }
  return { first, next };
}

// pushCallees has the heaviest callee of a node come next.
function pushCallees(todo, first, next, total, from, at, start) {
  if (first[from] < 0) return;
  if (next[first[from]] < 0) {
    todo.push(first[from], at, start);
    return;
  }
  const list = [];
  let end = start;
  for (let c = first[from]; c >= 0; c = next[c]) list.push(c);
  list.sort((a, b) => total[b] - total[a] || a - b);
  for (const c of list) end += total[c];
  for (let i = list.length - 1; i >= 0; i--) {
    end -= total[list[i]];
    todo.push(list[i], at, end);
  }
}

// setEnds says where the nodes below each one end.
function setEnds(tree) {
  for (let i = tree.length - 1; i >= 0; i--) {
    if (tree.end[i] === 0) tree.end[i] = i + 1;
    const parent = tree.parent[i];
    if (parent >= 0) tree.end[parent] = Math.max(tree.end[parent], tree.end[i]);
  }
}

// pathTo is a node and those above it, the root first.
function pathTo(tree, node) {
  const path = [];
  for (let i = node; i >= 0; i = tree.parent[i]) path.push(i);
  return path.reverse();
}

// functionSums adds up self and total of each frame below a node. A function that is on
// a stack more than once counts once. Weights are those of the tree, or of one side of it.
function functionSums(app, tree, below, weights = tree) {
  const frames = app.data.frames.length;
  const sums = { self: new Float64Array(frames), total: new Float64Array(frames), seen: [] };
  const on = new Int32Array(frames), met = new Uint8Array(frames), path = [];
  for (let i = below; i < tree.end[below]; i++) {
    while (path.length > 0 && tree.end[path[path.length - 1]] <= i) on[tree.frame[path.pop()]]--;
    const f = tree.frame[i];
    if (!met[f]) met[f] = sums.seen.push(f) && 1;
    if (on[f]++ === 0) sums.total[f] += weights.total[i];
    sums.self[f] += ownOf(app, tree, i, weights);
    path.push(i);
  }
  return sums;
}

// ownOf is what a node weighs as the innermost one: of a tree that was turned, these
// are the outermost.
function ownOf(app, tree, node, weights = tree) {
  if (!tree.inverted) return weights.self[node];
  const parent = tree.parent[node];
  return parent >= 0 && app.data.frames[tree.frame[parent]].kind === GROUP ? weights.total[node] : 0;
}
