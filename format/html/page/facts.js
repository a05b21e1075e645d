// What the report says in its first lines, and what its marks mean.

function showFacts(app) {
  const { data } = app, place = byId("facts");
  byId("title").textContent = data.title;
  byId("summary").textContent = data.summary || "no one thing stands out";
  if (data.facts.length > 0) place.append(listFacts(data.facts));
  for (const process of data.processes) {
    if (data.processes.length > 1) place.append(element("h3", "name", process.header.name), element("p", "", process.header.summary));
    place.append(listFacts(process.header.facts));
  }
  const legend = [
    ["Width", "the share of samples, or of time, in which a function was on the stack. Order from left to right means nothing: the heaviest comes first."],
    ["Colour", "the file that a function lies in; grey: none, or a thread or process."],
    ["Underlined", "a frame that may be wrong, or whose caller may be missing; its details say why."],
    ["(guess)", "found by scanning the stack: it may not exist, and callers beside it may be missing."],
    ["<cut: …>", "the stack is not known to its outermost frame, and why. What is on top of it was called by somebody."],
    ["<no stack>", "samples of which no frame is known."],
    ["<between samples>", "time that the system has counted, and that goes with no sample."],
  ];
  if (data.compared) explainChanges(legend);
  byId("legend").append(...legend.flatMap(([name, text]) => [element("dt", "", name), element("dd", "", text)]));
}

function listFacts(facts) {
  const list = element("dl", "facts");
  for (const [name, value] of facts) {
    const warn = name === "Warning" || name === "Note" || name === "Missing";
    list.append(element("dt", warn ? "warn" : "", name), element("dd", warn ? "warn" : "", value));
  }
  return list;
}
