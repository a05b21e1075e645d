// Colours: of frames by the file that they lie in, from the variables of the theme.

const HUES = [14, 205, 42, 150, 265, 330, 95, 185, 235, 60, 300, 120];

// readColors takes the theme's colours for the canvas, which has no style of its own.
function readColors(app) {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue("--" + name).trim();
  const saturation = of("frame-saturation"), light = of("frame-light");
  app.colors = {
    text: of("frame-text"), line: of("frame-line"), group: of("group"), mark: of("mark"), found: of("found"),
    foundText: of("found-text"), dim: of("dim"), dimText: of("dim-text"), chosen: of("chosen"), warn: of("warn"), mono: of("mono"), light,
  };
  app.fills = app.data.frames.map((f) => {
    if (f.kind === GROUP) return app.colors.group;
    if (f.kind === MARK) return app.colors.mark;
    if (f.image < 0) return app.colors.group;
    return `hsl(${hueOf(app.data, f.image)} ${saturation} ${light})`;
  });
}

// fillOf is the colour of a node: of its file or, where two profiles are compared, of its change.
function fillOf(app, node) {
  return app.data.compared ? changeFill(app, node) : app.fills[app.tree.frame[node]];
}

// hueOf is that of an image: the first few, which are met first, differ most.
function hueOf(data, image) {
  if (image < HUES.length) return HUES[image];
  return (HUES[image % HUES.length] + 17 * Math.floor(image / HUES.length)) % 360;
}
