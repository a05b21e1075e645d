// The page's data, as data.go has written it.

const STRIDE = 6; // of a thread's nodes: depth, frame, remark, samples, nanoseconds, nanoseconds of CPU
const DEPTH = 0, FRAME = 1, REMARK = 2, FIRST_VALUE = 3;

// Kinds of frames.
const FUNCTION = 0, MARK = 1, GROUP = 2;

// measures are what nodes can be weighed by; value is where it is in a node.
const measures = [
  { key: "samples", name: "Samples", value: 0, write: count },
  { key: "time", name: "Time", value: 1, write: duration },
  { key: "cpu", name: "CPU time", value: 2, write: duration },
];

// readData parses the document, and gives processes and threads frames of their own.
function readData() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const frames = data.frames.map(([name, image, mark]) => ({ name, image, kind: mark ? MARK : FUNCTION }));
  const group = (name) => frames.push({ name, image: -1, kind: GROUP }) - 1;
  data.root = group("all");
  data.threads = [];
  data.processes.forEach((process, at) => {
    process.group = group(process.header.name);
    for (const t of process.threads) {
      const thread = { ...t.about, nodes: t.nodes, timeline: t.timeline, marks: t.marks, cut: t.cut, process: at, index: data.threads.length, group: group(t.about.name) };
      thread.sums = sums(thread.nodes);
      data.threads.push(thread);
    }
  });
  data.frames = frames;
  return data;
}

// sums adds up each value of a thread's nodes.
function sums(nodes) {
  const all = [0, 0, 0];
  for (let at = 0; at < nodes.length; at += STRIDE) {
    for (let v = 0; v < all.length; v++) all[v] += nodes[at + FIRST_VALUE + v];
  }
  return all;
}

// measuresOf are the measures that the processes have.
function measuresOf(data) {
  if (data.compared) return sidesOf(data);
  const has = (key) => data.processes.some((p) => p.header[key]);
  return measures.filter((m) => m.key === "samples" || m.key === "time" && has("timed") || m.key === "cpu" && has("cpu"));
}

// baseName is the last part of a path.
function baseName(path) {
  return path.slice(path.lastIndexOf("/") + 1) || path;
}

// imageOf is the path of the file that a frame lies in, empty for none.
function imageOf(data, frame) {
  const image = data.frames[frame].image;
  return image < 0 ? "" : data.images[image];
}

function count(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

function duration(ns) {
  if (ns >= 1e9) return (ns / 1e9).toFixed(2) + " s";
  if (ns >= 1e6) return (ns / 1e6).toFixed(ns >= 1e8 ? 0 : 1) + " ms";
  if (ns >= 1e3) return (ns / 1e3).toFixed(0) + " µs";
  return ns + " ns";
}

function percent(part, whole) {
  return whole > 0 ? (100 * part / whole).toFixed(1) + " %" : "0 %";
}

// element makes an element with a class, text and children. Text never is markup.
function element(name, className, text, ...children) {
  const e = document.createElement(name);
  if (className) e.className = className;
  if (text !== undefined && text !== null) e.textContent = text;
  e.append(...children);
  return e;
}

function byId(id) {
  return document.getElementById(id);
}
