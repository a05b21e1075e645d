// The one object that holds what is shown, and what begins with it.

const TOGETHER_FROM = 9; // threads are merged at first from so many on

// rebuild makes the tree again, after what is in it was chosen anew.
function rebuild(app) {
  app.rootName = app.chosen.length === 1 ? app.chosen[0].name : `${count(app.chosen.length)} threads`;
  app.tree = buildTree(app);
  app.zoomed = 0;
  app.at = 0;
  resize(app);
  sizeTimeline(app);
  redrawTimeline(app);
  revealRoot(app);
  redraw(app);
  showPath(app);
  showChosen(app);
  showDetails(app);
  showTable(app);
  showFound(app);
}

// measureAtFirst is CPU time where half a processor or more was used, for what waits would
// hide what computes; else it is all time.
function measureAtFirst(data, choices) {
  const of = (key) => choices.find((m) => m.key === key);
  let cpu = 0, longest = 0;
  for (const t of data.threads) {
    cpu += t.sums[2];
    longest = Math.max(longest, t.sums[1]);
  }
  return longest > 0 && cpu >= longest / 2 && of("cpu") || of("time") || choices[0];
}

function start() {
  const data = readData(), choices = measuresOf(data);
  const app = {
    data, chosen: data.threads, hidden: new Set(), found: null, wrong: "", zoomed: 0, at: 0, drawing: 0, icicle: true,
    apart: data.threads.length < TOGETHER_FROM && !(data.compared && data.threads.length === 1), measure: measureAtFirst(data, choices),
    sampled: data.processes.some((p) => p.header.sampled),
    parts: { canvas: byId("flame"), scroll: byId("scroll"), space: byId("space") },
  };
  readColors(app);
  showFacts(app);
  bindTable(app);
  bindTimeline(app);
  bindThreads(app);
  bindControls(app);
  bindPointer(app);
  bindKeys(app);
  showDeadlocks(app);
  showTasks(app);
  rebuild(app);
}

start();
