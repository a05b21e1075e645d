// The range of time that is chosen: the graph and the table are of it alone.

function bindRange(app) {
  const { times } = app, { canvas } = times;
  const timeAt = (event) => {
    const x = event.clientX - canvas.getBoundingClientRect().left - TIMES_NAME;
    return Math.min(times.end, Math.max(0, x / times.width * times.end));
  };
  const rowAt = (event) => times.rows[Math.floor((event.clientY - canvas.getBoundingClientRect().top + times.scroll.scrollTop) / TIMES_ROW)];
  let began = null;
  canvas.addEventListener("pointerdown", (event) => {
    began = { x: event.clientX, at: timeAt(event) };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (began) {
      times.range = orderedRange(began.at, timeAt(event));
      redrawTimeline(app);
    } else showStretch(app, rowAt(event), timeAt(event), event);
  });
  canvas.addEventListener("pointerup", (event) => {
    const clicked = began && Math.abs(event.clientX - began.x) < 3, row = rowAt(event);
    const range = began && !clicked ? orderedRange(began.at, timeAt(event)) : null;
    began = null;
    if (!clicked) return setRange(app, range);
    times.range = null;
    if (row) takeEntry(app, app.entries.findIndex((e) => e.threads.length === 1 && e.threads[0] === row), event.ctrlKey || event.metaKey);
    setRange(app, null);
  });
  canvas.addEventListener("pointerleave", () => { byId("tip").hidden = true; });
  times.scroll.addEventListener("scroll", () => {
    byId("tip").hidden = true;
    redrawTimeline(app);
  });
  canvas.addEventListener("keydown", (event) => rangeKey(app, event));
  byId("whole").addEventListener("click", () => setRange(app, null));
}

function orderedRange(a, b) {
  return [Math.min(a, b), Math.max(a, b)];
}

// setRange has all else be about a range of time, or about all of it. Only time is counted
// in a range: a sample stands for that to the next snapshot.
function setRange(app, range) {
  const { times } = app;
  times.range = range;
  byId("whole").hidden = !range;
  byId("range").textContent = range ? `${duration(Math.round(range[0]) * 1000)} to ${duration(Math.round(range[1]) * 1000)}: ${duration(Math.round(range[1] - range[0]) * 1000)}` : "";
  byId("measure").disabled = range !== null;
  for (const t of app.data.threads) t.values = range ? valuesIn(t, range) : null;
  if (range && !app.chosen.some((t) => t.values.some((v) => v > 0))) byId("range").textContent += ", without a sample of what is chosen";
  rebuild(app);
}

// valuesIn is for how many nanoseconds of a range samples of a thread ended in each node.
function valuesIn(t, [from, to]) {
  const values = new Float64Array(t.nodes.length / STRIDE), { timeline = [] } = t;
  let at = 0;
  for (let i = 0; i < timeline.length; i += STRETCH) {
    at += timeline[i];
    const part = Math.min(to, at + timeline[i + 1]) - Math.max(from, at);
    if (part > 0 && timeline[i + 3] >= 0) values[timeline[i + 3]] += Math.round(part) * 1000;
  }
  return values;
}

// shownMeasure is what nodes are weighed by: in a range by time.
function shownMeasure(app) {
  return app.times.range ? measures.find((m) => m.key === "time") : app.measure;
}

function drawRange(times, color) {
  if (!times.range) return;
  const [from, to] = times.range.map((at) => timeX(times, at)), { pen } = times, height = times.rows.length * TIMES_ROW;
  pen.fillStyle = color;
  pen.globalAlpha = 0.18;
  pen.fillRect(from, 0, to - from, height);
  pen.globalAlpha = 1;
  pen.fillRect(from, 0, 1, height);
  pen.fillRect(to, 0, 1, height);
}

// rangeKey moves the range, and makes it longer or shorter.
function rangeKey(app, event) {
  const { times } = app, [from, to] = times.range || [0, times.end / 10], length = to - from;
  const next = {
    ArrowRight: times.range ? [from + length, to + length] : [from, to], ArrowLeft: [from - length, to - length],
    "+": [from, from + length * 2], "-": [from, from + length / 2],
  }[event.key];
  if (event.key === "Escape" && times.range) setRange(app, null);
  else if (next && length > 0) setRange(app, inside(next, times.end));
  else return;
  event.preventDefault();
  event.stopPropagation();
}

// inside moves a range to where there is time.
function inside([from, to], end) {
  const length = Math.min(to - from, end), at = Math.min(Math.max(0, from), end - length);
  return [at, at + length];
}

// showStretch says what a thread did where the pointer is.
function showStretch(app, t, time, event) {
  const tip = byId("tip"), found = t && stretchAt(app, t, time);
  tip.hidden = !found;
  if (!found) return;
  tip.replaceChildren(element("div", "name", t.name), element("div", "faint", `at ${duration(Math.round(time) * 1000)}: ${found.state}${found.frame ? ", in " + found.frame : ""}`),
    ...found.marks.map((text) => element("div", "waits", text)));
  tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
  tip.style.top = event.clientY + 18 + "px";
}
