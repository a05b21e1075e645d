// Two profiles in one tree. Of a node's values the first is what it weighs after, the second
// what it did before.

const AFTER = 0, BEFORE = 1;
const GREW = 4, SHRANK = 212; // hues

// sidesOf are the measures of a comparison: the width is that of one side.
function sidesOf(data) {
  const write = data.compared.measure === "cpu" ? duration : count;
  return [{ key: "after", name: "After", value: AFTER, write }, { key: "before", name: "Before", value: BEFORE, write }];
}

// scaled makes both sides comparable: percents, or what was counted.
function scaled(app, value, side) {
  const [before, after] = app.data.compared.scale;
  return value * (side === AFTER ? after : before);
}

// writeScaled writes such a value, and writeChange a difference with its sign.
function writeScaled(app, n) {
  return app.data.compared.shares ? n.toFixed(1) + " %" : app.measure.write(n);
}

function writeChange(app, by) {
  const n = Math.abs(by), { shares } = app.data.compared;
  if (shares ? n < 0.05 : n === 0) return "=";
  return (by > 0 ? "+" : "−") + (shares ? n.toFixed(1) : app.measure.write(n));
}

// totalsOf are what a node and all below it weigh, before and after.
function totalsOf(app, node) {
  return [BEFORE, AFTER].map((side) => scaled(app, app.tree.sides[side].total[node], side));
}

// changeFill is redder the more a node has grown, by its own size, and bluer the more it
// has shrunk.
function changeFill(app, node) {
  const [before, after] = totalsOf(app, node), most = Math.max(before, after);
  const part = most > 0 ? (after - before) / most : 0;
  return `hsl(${part > 0 ? GREW : SHRANK} ${Math.round(95 * Math.abs(part))}% ${app.colors.light})`;
}

function changeText(app, node) {
  const text = ([before, after]) => {
    const change = writeChange(app, after - before);
    return `${writeScaled(app, before)} before, ${writeScaled(app, after)} after: ${change === "=" ? "the same" : change}${newsOf(before, after)}`;
  };
  const own = [BEFORE, AFTER].map((side) => scaled(app, ownOf(app, app.tree, node, app.tree.sides[side]), side));
  return text(totalsOf(app, node)) + (node > 0 && own[0] + own[1] > 0 ? "; itself " + text(own) : "");
}

function newsOf(before, after) {
  if (before === 0 && after > 0) return " (new)";
  return after === 0 && before > 0 ? " (gone)" : "";
}

// comparedSums are the sums of each function on both sides, and by how much they differ.
function comparedSums(app, tree, below) {
  const [after, before] = tree.sides.map((side) => functionSums(app, tree, below, side));
  const sums = { seen: after.seen };
  for (const key of ["self", "total"]) {
    sums[key + "Before"] = before[key].map((n) => scaled(app, n, BEFORE));
    sums[key + "After"] = after[key].map((n) => scaled(app, n, AFTER));
    sums[key + "Change"] = sums[key + "After"].map((n, f) => n - sums[key + "Before"][f]);
  }
  return sums;
}

const comparedColumns = [
  { key: "name", name: "Function", className: "wide" },
  { key: "image", name: "File", className: "image" },
  { key: "selfBefore", name: "Self before", side: true }, { key: "selfAfter", name: "after", side: true }, { key: "selfChange", name: "change" },
  { key: "totalBefore", name: "Total before", side: true }, { key: "totalAfter", name: "after", side: true }, { key: "totalChange", name: "change" },
];

// comparedCells are a function's numbers.
function comparedCells(app, sums, f) {
  return comparedColumns.slice(2).map(({ key, side }) => {
    const n = sums[key][f];
    if (side) return element("td", "", writeScaled(app, n));
    const text = writeChange(app, n);
    return element("td", text === "=" ? "" : n > 0 ? "grew" : "shrank", text);
  });
}

// explainChanges says what is otherwise in a comparison.
function explainChanges(legend) {
  legend[0][1] = "the share of samples, or of CPU time, that a function was on the stack for, after or before: choose above. What is on the other side alone has no width; the table has it.";
  legend[1][1] = "red: it grew, blue: it shrank, by how much of its own size; grey: it did not change.";
}
