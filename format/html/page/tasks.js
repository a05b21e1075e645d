// Tasks that no thread runs, such as goroutines that wait: a line for each, which opens its stack.

function showTasks(app) {
  const place = byId("tasks"), several = app.data.processes.length > 1;
  for (const p of app.data.processes) {
    for (const list of p.header.tasks || []) {
      place.append(element("h2", "", (several ? p.header.name + ": " : "") + list.title));
      for (const t of list.entries) {
        const stack = element("ol", "stack", null, ...t.frames.map((f) => element("li", "name", f)));
        place.append(element("details", "", null, element("summary", "waits", t.title), stack));
      }
      for (const line of list.rest || []) place.append(element("p", "faint", line));
    }
  }
  place.hidden = place.childElementCount === 0;
}
