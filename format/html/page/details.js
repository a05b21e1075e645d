// What is known of the frame that was chosen.

// weightText says how much a node weighs, and how much of that is its own.
function weightText(app, node) {
  if (app.data.compared) return changeText(app, node);
  const { tree } = app, measure = shownMeasure(app), all = tree.total[0], own = ownOf(app, tree, node);
  const unit = measure.key === "samples" ? (app.sampled ? " samples" : " stacks") : "";
  let text = `${measure.write(tree.total[node])}${unit}, ${percent(tree.total[node], all)}`;
  if (own > 0 && node > 0) text += `; itself ${measure.write(own)}, ${percent(own, all)}`;
  return text;
}

function showDetails(app) {
  const panel = byId("details"), node = app.at;
  panel.replaceChildren();
  if (node < 0 || node >= app.tree.length) return;
  const frame = app.tree.frame[node], [remark, doubt] = app.data.remarks[app.tree.remark[node]];
  panel.append(element("div", "", null, element("span", "name", nameOf(app, node)),
    element("span", "faint", [imageOf(app.data, frame), remark].filter(Boolean).join("  "))));
  panel.append(element("div", "row", weightText(app, node)));
  if (doubt) panel.append(element("div", "row doubt", doubt));
  panel.append(actions(app, node, frame));
}

// actions are what can be done with a frame.
function actions(app, node, frame) {
  const row = element("div", "row");
  const add = (name, act) => {
    const button = element("button", "", name);
    button.type = "button";
    button.addEventListener("click", act);
    row.append(button);
  };
  if (node !== app.zoomed) add("Zoom", () => zoom(app, node));
  if (app.zoomed > 0) add("Zoom out", () => zoom(app, app.tree.parent[app.zoomed]));
  if (app.data.frames[frame].kind === FUNCTION) {
    add("Hide this function", () => hide(app, frame));
    add("Show everywhere", () => searchFor(app, exactly(app.data.frames[frame].name)));
  }
  return row;
}

// hide leaves a function out: what it calls takes its place.
function hide(app, frame) {
  if (app.data.frames[frame].kind !== FUNCTION) return;
  app.hidden.add(frame);
  showHidden(app);
  rebuild(app);
}

// showHidden lists what is left out, to have it back.
function showHidden(app) {
  byId("hidden").replaceChildren(...[...app.hidden].map((frame) => {
    const chip = element("button", "chip name", "hidden: " + app.data.frames[frame].name + "  ×");
    chip.type = "button";
    chip.title = "Show it again";
    chip.addEventListener("click", () => {
      app.hidden.delete(frame);
      showHidden(app);
      rebuild(app);
    });
    return chip;
  }));
}
