// Deadlocks, drawn as circles of threads and the locks between them.

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = 12; // threads of one circle; a larger one is a list alone

// deadlocksOf lists the circles: those of several processes, and then each process's
// own. A waiter of the latter is of the process that the circle is of.
function deadlocksOf(data) {
  const own = data.processes.flatMap((p, at) => p.header.deadlocks.map((d) => (
    { ...d, in: p.header.name, waiters: d.waiters.map((w) => ({ ...w, process: at })) })));
  return [...(data.deadlocks || []), ...own];
}

function showDeadlocks(app) {
  const place = byId("deadlocks");
  for (const d of deadlocksOf(app.data)) {
    const where = !d.in ? ", of several processes" : app.data.processes.length > 1 ? ", in " + d.in : "";
    place.append(element("h2", "", "Deadlock: " + d.title + where));
    if (d.stood) place.append(element("p", "faint", d.stood));
    const box = element("div", "circle");
    if (d.waiters.length <= DRAWN) box.append(drawCircle(app, d.waiters));
    box.append(listOf(app, d.waiters));
    place.append(box);
    if (d.behind) place.append(element("p", "faint", d.behind));
  }
  place.hidden = place.childElementCount === 0;
}

// listOf tells a circle in words.
function listOf(app, waiters) {
  return element("ol", "", null, ...waiters.map((w) => {
    const button = element("button", "name", w.name);
    button.type = "button";
    button.addEventListener("click", () => goToThread(app, w.process, w.id));
    return element("li", "waits", null, button, " " + w.waits, ...(w.stack ? [element("div", "stack", w.stack)] : []));
  }));
}

// goToThread chooses a thread by its id, if it was captured.
function goToThread(app, process, id) {
  const at = app.entries.findIndex((e) => e.threads.length === 1 && e.threads[0].id === id && e.threads[0].process === process && e.item.className !== "process");
  if (at >= 0) takeEntry(app, at, false);
}

// drawCircle draws threads and locks in turn around a circle, with arrows from each
// thread to the lock that it waits for, and from that to the thread that has it.
function drawCircle(app, waiters) {
  const stops = waiters.flatMap((w) => [{ text: w.name, id: w.id, process: w.process, full: w.in && "in " + w.in }, { text: w.lock }]);
  const n = stops.length, size = Math.max(300, 62 * n), half = size / 2, far = half - 34;
  const svg = shape("svg", { viewBox: `0 0 ${size + 200} ${size}`, role: "img", "aria-label": "Each thread waits for a lock that the next one has" });
  const place = (i) => [half + 100 + far * 1.25 * Math.sin(2 * Math.PI * i / n), half - far * Math.cos(2 * Math.PI * i / n)];
  stops.forEach((stop, i) => Object.assign(stop, sized(stop, place(i))));
  stops.forEach((stop, i) => svg.append(...arrow(place, i, stop, stops[(i + 1) % n])));
  stops.forEach((stop) => svg.append(boxOf(app, stop)));
  return svg;
}

// sized is where the box of a thread or a lock stands, and how wide its text makes it.
function sized(stop, [x, y]) {
  const label = fitted(stop.text, 26), below = stop.full ? fitted(stop.full, 26) : "";
  return { x, y, label, below, width: Math.max(70, 7.4 * Math.max(label.length, below.length) + 18), height: below ? 44 : 30 };
}

// arrow leads along the circle from one box to the next, and keeps off both.
function arrow(place, i, from, to) {
  const off = (box, [x, y]) => Math.abs(x - box.x) > box.width / 2 + 7 || Math.abs(y - box.y) > box.height / 2 + 7;
  const points = [];
  for (let k = 0; k <= 100; k++) points.push(place(i + k / 100));
  const free = points.filter((p) => off(from, p) && off(to, p));
  if (free.length < 8) return [];
  const [x, y] = free[free.length - 1], [px, py] = free[free.length - 6], angle = Math.atan2(y - py, x - px);
  const at = (turn, length) => `${(x + length * Math.cos(angle + turn)).toFixed(1)} ${(y + length * Math.sin(angle + turn)).toFixed(1)}`;
  const line = free.slice(0, -2).map((p) => p.map((v) => v.toFixed(1)).join(" "));
  return [shape("path", { class: "arrow", d: "M" + line.join("L") }), shape("path", { class: "tip", d: `M${at(0, 2)}L${at(2.6, 11)}L${at(-2.6, 11)}Z` })];
}

// boxOf draws a thread or a lock.
function boxOf(app, stop) {
  const { x, y, width, height } = stop, thread = stop.id !== undefined;
  const group = shape("g", { class: thread ? "who" : "lock" });
  group.append(shape("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: thread ? 15 : 4 }));
  const line = (text, at, name) => {
    const label = shape("text", { x, y: at, "text-anchor": "middle", class: name });
    label.textContent = text;
    group.append(label);
  };
  line(stop.label, stop.below ? y - 4 : y + 4.5, "");
  if (stop.below) line(stop.below, y + 13, "in");
  const title = shape("title", {});
  title.textContent = stop.full ? `${stop.text}, ${stop.full}` : stop.text;
  group.append(title);
  if (thread) group.addEventListener("click", () => goToThread(app, stop.process, stop.id));
  return group;
}

function shape(name, attributes) {
  const e = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}
