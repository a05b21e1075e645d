// The timeline: a row for each thread, with its states over time.

const TIMES_ROW = 18, TIMES_NAME = 170, STRETCH = 4; // from the stretch before, length, state, node

// States, as the program numbers them, that are drawn from the bottom of a row up.
const RUNNABLE = 1, SLEEPING = 2, UNINTERRUPTIBLE = 3, STOPPED = 4;
const stateNames = ["", "runnable", "sleeping", "uninterruptible", "stopped", "ended"];

// bindTimeline shows the timeline, if any thread has one.
function bindTimeline(app) {
  const rows = app.data.threads.filter((t) => t.timeline && t.timeline.length > 0);
  app.times = { rows, canvas: byId("times-canvas"), scroll: byId("times-scroll"), end: 0, range: null, drawing: 0 };
  const { times } = app;
  for (const t of rows) {
    let at = 0;
    for (let i = 0; i < t.timeline.length; i += STRETCH) {
      at += t.timeline[i];
      times.end = Math.max(times.end, at + t.timeline[i + 1]);
    }
  }
  if (times.end === 0) return;
  byId("times").hidden = false;
  const cut = app.data.threads.filter((t) => t.cut).length;
  byId("times-legend").textContent = "green: runnable · grey: sleeping · orange: uninterruptible or stopped · red line: hang · drag chooses a time";
  byId("times-note").textContent = cut > 0 ? `${count(cut)} threads have no timeline here: theirs are too long for a page.` : "";
  byId("times-note").hidden = cut === 0;
  bindRange(app);
}

// sizeTimeline fits the canvas into the page: it is as high as what can be seen of the rows.
function sizeTimeline(app) {
  const { times } = app;
  if (times.end === 0) return;
  const ratio = window.devicePixelRatio || 1, all = (times.rows.length + 1) * TIMES_ROW;
  byId("times-space").style.height = all + "px";
  const width = times.scroll.clientWidth, height = Math.min(all, times.scroll.clientHeight);
  times.width = Math.max(1, width - TIMES_NAME);
  times.height = height;
  times.ratio = ratio;
  times.canvas.style.width = width + "px";
  times.canvas.style.height = height + "px";
  times.canvas.width = Math.round(width * ratio);
  times.canvas.height = Math.round(height * ratio);
  times.pen = times.canvas.getContext("2d");
}

function redrawTimeline(app) {
  drawOnce(app.times, () => drawTimeline(app));
}

// drawTimeline draws the rows that can be seen, each at its height in all that can be
// scrolled through.
function drawTimeline(app) {
  const { times } = app, { pen } = times;
  if (times.end === 0) return;
  const style = getComputedStyle(document.documentElement), of = (name) => style.getPropertyValue("--" + name).trim();
  const colors = { [RUNNABLE]: of("running"), [SLEEPING]: of("group"), [UNINTERRUPTIBLE]: of("warn"), [STOPPED]: of("warn") };
  const bad = of("bad"), chosen = new Set(app.chosen), top = times.scroll.scrollTop;
  pen.setTransform(times.ratio, 0, 0, times.ratio, 0, -top * times.ratio);
  pen.clearRect(0, top, times.width + TIMES_NAME, times.height);
  pen.font = "12px " + app.colors.mono;
  pen.textBaseline = "middle";
  pen.direction = "ltr";
  const first = Math.floor(top / TIMES_ROW), last = Math.ceil((top + times.height) / TIMES_ROW);
  times.rows.slice(first, last).forEach((t, row) => {
    const y = (first + row) * TIMES_ROW;
    pen.globalAlpha = chosen.has(t) ? 1 : 0.35;
    pen.fillStyle = of("text");
    pen.fillText(fitted(t.name, Math.floor((TIMES_NAME - 8) / pen.measureText("m").width)), 0, y + TIMES_ROW / 2);
    drawStates(times, t, y, colors);
    pen.fillStyle = bad;
    for (const [from, to, , hang] of t.marks) if (hang) pen.fillRect(timeX(times, from), y + TIMES_ROW - 4, Math.max(2, (to - from) / times.end * times.width), 3);
  });
  pen.globalAlpha = 1;
  drawAxis(app, of("faint"));
  drawRange(times, of("accent"));
}

function timeX(times, at) {
  return TIMES_NAME + at / times.end * times.width;
}

// drawStates draws, for each pixel, for how much of its time a thread was in which state.
function drawStates(times, t, y, colors) {
  const width = Math.ceil(times.width), shares = [null, ...[RUNNABLE, UNINTERRUPTIBLE, STOPPED, SLEEPING].map(() => new Float32Array(width))];
  const order = [RUNNABLE, UNINTERRUPTIBLE, STOPPED, SLEEPING], scale = times.width / times.end;
  let at = 0;
  for (let i = 0; i < t.timeline.length; i += STRETCH) {
    at += t.timeline[i];
    const share = shares[order.indexOf(t.timeline[i + 2]) + 1];
    const from = at * scale, to = (at + t.timeline[i + 1]) * scale;
    for (let x = Math.floor(from); share && x < Math.min(to, width); x++) share[x] += Math.min(to, x + 1) - Math.max(from, x);
  }
  const high = TIMES_ROW - 6;
  for (let x = 0; x < width; x++) {
    let top = y + TIMES_ROW - 4;
    order.forEach((state, i) => {
      const h = shares[i + 1][x] * high;
      if (h <= 0) return;
      top -= h;
      times.pen.fillStyle = colors[state];
      times.pen.fillRect(TIMES_NAME + x, top, 1, h);
    });
  }
}

// drawAxis says below the rows when that was.
function drawAxis(app, color) {
  const { times } = app, y = times.rows.length * TIMES_ROW + TIMES_ROW / 2, step = roundStep(times.end * 100 / times.width);
  times.pen.fillStyle = color;
  for (let at = 0; timeX(times, at) + 60 < TIMES_NAME + times.width; at += step) {
    times.pen.fillRect(timeX(times, at), y - 8, 1, 5);
    times.pen.fillText(at > 0 ? duration(Math.round(at) * 1000) : "0", timeX(times, at) + 4, y);
  }
}

// roundStep is the least of 1, 2 and 5 times a power of ten that is no less.
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least) || 10 * power;
}

// stretchAt is what a thread did at a time: its state, the name of its innermost frame,
// and what it waited for.
function stretchAt(app, t, time) {
  let at = 0;
  for (let i = 0; i < t.timeline.length; i += STRETCH) {
    at += t.timeline[i];
    if (time < at || time >= at + t.timeline[i + 1]) continue;
    const node = t.timeline[i + 3];
    return { state: stateNames[t.timeline[i + 2]], frame: node < 0 ? "" : app.data.frames[t.nodes[node * STRIDE + FRAME]].name,
      marks: t.marks.filter(([from, to]) => time >= from && time < to).map((m) => m[2]) };
  }
  return null;
}
