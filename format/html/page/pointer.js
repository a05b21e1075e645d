// The mouse on the flame graph.

function bindPointer(app) {
  const { canvas, scroll } = app.parts;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return nodeAt(app, event.clientX - box.left, event.clientY - box.top);
  };
  canvas.addEventListener("mousemove", (event) => showTip(app, at(event), event));
  canvas.addEventListener("mouseleave", () => { byId("tip").hidden = true; });
  canvas.addEventListener("click", (event) => {
    const node = at(event);
    if (node >= 0) zoom(app, node);
  });
  scroll.addEventListener("scroll", () => {
    byId("tip").hidden = true;
    redraw(app);
  });
}

// showTip tells of the frame below the pointer.
function showTip(app, node, event) {
  const tip = byId("tip");
  tip.hidden = node < 0;
  if (node < 0) return;
  tip.replaceChildren(element("div", "name", nameOf(app, node)), element("div", "faint", imageOf(app.data, app.tree.frame[node])),
    element("div", "", weightText(app, node)));
  const doubt = app.data.remarks[app.tree.remark[node]][1];
  if (doubt) tip.append(element("div", "doubt", doubt));
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8)) + "px";
  tip.style.top = (event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18) + "px";
}
