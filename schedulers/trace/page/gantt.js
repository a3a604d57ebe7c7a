// ---- the chart of tasks -----------------------------------------------------------------------
const canvas = element("gantt");
const tip = element("tip");
const left = 84, top_ = 24;
const links = data.links, transfers = data.transfers;
const nLanes = data.workers.length + links.length;
const laneHeight = Math.max(14, Math.min(34, 700 / Math.max(1, nLanes)));
const linkColor = "#00897b";
const lanes = data.workers.map(() => []);
tasks.op.forEach((_, i) => lanes[tasks.worker[i]].push(i));
lanes.forEach(lane => lane.sort((a, b) => tasks.start[a] - tasks.start[b]));
const gapLanes = data.workers.map(() => []);
data.gaps.task.forEach((task, i) => gapLanes[tasks.worker[task]].push(i));
const linkLanes = links.map(() => []);
transfers.link.forEach((link, i) => linkLanes[link].push(i));
const onPath = new Set(data.path);
const view = {first: 0, last: Math.max(1e-3, data.makespan_us)};
let width = 0, hovered = -1, matches = null, nextMatch = 0, isDrawing = false;

const toX = t => left + (t - view.first) / (view.last - view.first) * (width - left);
const toTime = x => view.first + (x - left) / (width - left) * (view.last - view.first);
const laneTop = worker => top_ + worker * laneHeight;
const color = name => getComputedStyle(document.documentElement).getPropertyValue(name);

/// First position in a lane whose task, or transfer, begins after `t`.
function after(lane, t, starts = tasks.start) {
  let low = 0, high = lane.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[lane[middle]] > t) high = middle; else low = middle + 1;
  }
  return low;
}

function draw() {
  isDrawing = false;
  const height = top_ + nLanes * laneHeight + 4;
  const scale = window.devicePixelRatio || 1;
  width = canvas.clientWidth;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "middle";
  drawAxis(pen, height);
  data.workers.forEach((worker, i) => drawLane(pen, worker, i));
  links.forEach((link, i) => drawLink(pen, link, i));
  if (element("show-path").checked) drawPath(pen);
  if (hovered >= 0) drawArrows(pen);
  canvas.dataset.first = view.first;
  canvas.dataset.last = view.last;
}

function redraw() {
  if (!isDrawing) { isDrawing = true; requestAnimationFrame(draw); }
}

function drawAxis(pen, height) {
  const rough = (view.last - view.first) / 8;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough);
  pen.strokeStyle = color("--line");
  pen.fillStyle = color("--faint");
  for (let t = Math.ceil(view.first / step) * step; t <= view.last; t += step) {
    const x = toX(t);
    pen.beginPath();
    pen.moveTo(x, top_ - 4);
    pen.lineTo(x, height);
    pen.stroke();
    if (x < width - 60) pen.fillText(tick(t, step), x + 3, top_ / 2);
  }
}

/// The text of a tick, with as many digits as tell it from the next one.
function tick(t, step) {
  const [unit, name] = view.last >= 1e6 ? [1e6, "s"] : view.last >= 1e3 ? [1e3, "ms"] : [1, "\u00b5s"];
  return `${(t / unit).toFixed(Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9)))} ${name}`;
}

function drawLane(pen, worker, index) {
  const y = laneTop(index), h = laneHeight - 3;
  pen.fillStyle = color("--text");
  pen.fillText(shortName(worker), 4, y + h / 2, left - 8);
  pen.save();
  pen.beginPath();
  pen.rect(left, y, width - left, laneHeight);
  pen.clip();
  if (element("show-idle").checked) drawGaps(pen, index, y, h);
  const lane = lanes[index];
  const text = color("--text");
  let position = after(lane, view.first);
  while (position > 0 && tasks.end[lane[position - 1]] > view.first) --position;
  for (let drawnTo = -1; position < lane.length && tasks.start[lane[position]] < view.last; ++position) {
    const task = lane[position];
    const x = toX(tasks.start[task]), end = toX(tasks.end[task]);
    if (end < drawnTo + 0.5 && !(matches && matches.has(task))) continue; // nobody would see it
    drawnTo = Math.max(end, x + 0.7);
    pen.globalAlpha = matches && !matches.has(task) ? 0.15 : 1;
    pen.fillStyle = data.operators[tasks.op[task]].color;
    pen.fillRect(x, y, Math.max(0.7, end - x - (end - x > 4 ? 1 : 0)), h);
    if (data.parts[task] && end - x > 4) drawParts(pen, data.parts[task], y, h);
    if (end - x > 34) {
      pen.fillStyle = "#000";
      pen.fillText(data.operators[tasks.op[task]].name, Math.max(x, left) + 3, y + h / 2, end - Math.max(x, left) - 5);
    }
    if (task === hovered) {
      pen.strokeStyle = text;
      pen.lineWidth = 2;
      pen.strokeRect(x, y + 1, Math.max(1, end - x - 1), h - 2);
      pen.lineWidth = 1;
    }
  }
  pen.restore();
}

/// Below the name of a fused task: those on the own stream, and those on the second one.
function drawParts(pen, parts, y, h) {
  const step = h / 4;
  for (const [, , start, end, partColor, aside] of parts) {
    const x = Math.max(left, toX(start)), last = Math.min(width, toX(end));
    if (last <= x) continue;
    pen.fillStyle = partColor;
    pen.fillRect(x, y + h - (aside ? step : 2 * step), Math.max(0.7, last - x - 0.5), step - 1);
  }
}

function drawLink(pen, link, index) {
  const y = laneTop(data.workers.length + index), h = laneHeight - 3;
  pen.fillStyle = color("--text");
  pen.fillText(link.name, 4, y + h / 2, left - 8);
  pen.save();
  pen.beginPath();
  pen.rect(left, y, width - left, laneHeight);
  pen.clip();
  const lane = linkLanes[index];
  let position = Math.max(0, after(lane, view.first, transfers.start) - 1);
  for (let drawnTo = -1; position < lane.length && transfers.start[lane[position]] < view.last; ++position) {
    const x = toX(transfers.start[lane[position]]), end = toX(transfers.end[lane[position]]);
    if (end < drawnTo + 0.5) continue; // nobody would see it
    drawnTo = Math.max(end, x + 0.7);
    pen.fillStyle = linkColor;
    pen.fillRect(x, y + h / 4, Math.max(0.7, end - x), h / 2);
  }
  pen.restore();
}

function drawGaps(pen, index, y, h) {
  for (const gap of gapLanes[index]) {
    const end = tasks.start[data.gaps.task[gap]];
    if (end < view.first || data.gaps.first[gap] > view.last) continue;
    const x = toX(data.gaps.first[gap]);
    if (toX(end) - x < 0.5) continue;
    pen.globalAlpha = 0.55;
    pen.fillStyle = causeColors[data.gaps.cause[gap]];
    pen.fillRect(x, y + h - 4, toX(end) - x, 4);
  }
  pen.globalAlpha = 1;
}

function drawPath(pen) {
  pen.save();
  pen.beginPath();
  pen.rect(left, 0, width - left, canvas.clientHeight || 1e4);
  pen.clip();
  pen.strokeStyle = color("--mark");
  pen.lineWidth = 2;
  pen.beginPath();
  data.path.forEach((task, i) => {
    const y = laneTop(tasks.worker[task]) + 2;
    if (i > 0) pen.lineTo(toX(tasks.start[task]), y); else pen.moveTo(toX(tasks.start[task]), y);
    pen.lineTo(toX(tasks.end[task]), y);
  });
  pen.stroke();
  pen.restore();
}

const before = task => tasks.after.slice(tasks.after_first[task], tasks.after_first[task + 1]);

function drawArrows(pen) {
  pen.strokeStyle = color("--text");
  for (const source of before(hovered)) {
    pen.beginPath();
    pen.moveTo(toX(tasks.end[source]), laneTop(tasks.worker[source]) + laneHeight / 2);
    pen.lineTo(toX(tasks.start[hovered]), laneTop(tasks.worker[hovered]) + laneHeight / 2);
    pen.stroke();
  }
}

// ---- pointing, zooming, searching -------------------------------------------------------------
function taskAt(x, y) {
  const worker = Math.floor((y - top_) / laneHeight);
  if (x < left || worker < 0 || worker >= lanes.length) return -1;
  const lane = lanes[worker], t = toTime(x), pixel = toTime(x + 1) - t;
  for (let position = after(lane, t + pixel) - 1, tried = 0; position >= 0 && tried < 4; --position, ++tried) {
    if (tasks.end[lane[position]] >= t - pixel) return lane[position];
  }
  return -1;
}

function transferAt(x, y) {
  const lane = linkLanes[Math.floor((y - top_) / laneHeight) - data.workers.length];
  if (x < left || !lane) return -1;
  const t = toTime(x), pixel = toTime(x + 1) - t;
  const position = after(lane, t + pixel, transfers.start) - 1;
  return position >= 0 && transfers.end[lane[position]] >= t - pixel ? lane[position] : -1;
}

function describeTransfer(i) {
  const length = transfers.end[i] - transfers.start[i];
  return `${links[transfers.link[i]].name}: ${prefixed(transfers.bytes[i])}B\n` +
    `time: ${time(length)}, ${prefixed(1e6 * transfers.bytes[i] / Math.max(1e-3, length))}B/s\n` +
    `begun at ${time(transfers.start[i])}`;
}

function describe(task) {
  const lines = [`${data.operators[tasks.op[task]].name}${onPath.has(task) ? "  (on the critical path)" : ""}`,
    `task ${task}, group ${tasks.group[task]} of level ${tasks.level[task]}, ${data.workers[tasks.worker[task]].name}`,
    `time: ${time(tasks.end[task] - tasks.start[task])}` +
      (tasks.predicted[task] > 0 ? `, predicted ${time(tasks.predicted[task])}` : ""),
    `work: ${prefixed(tasks.work[task])}, ${prefixed(1e6 * tasks.work[task] / Math.max(1e-9, tasks.end[task] - tasks.start[task]))}/s`,
    `begun at ${time(tasks.start[task])}; ready ${time(tasks.start[task] - tasks.ready[task])} before, ` +
      `data fetched in ${time(tasks.fetched[task] - tasks.fetch[task])}`];
  const sources = before(task);
  if (sources.length > 0) {
    const last = sources.reduce((a, b) => tasks.end[b] > tasks.end[a] ? b : a);
    lines.push(`waited for ${sources.length} tasks, at last for ${data.operators[tasks.op[last]].name} ` +
      `on ${data.workers[tasks.worker[last]].name}`);
  }
  if (tasks.implementation[task] > 0) lines.push(`implementation ${tasks.implementation[task]}`);
  for (const [name, work, start, end] of data.parts[task] ?? [])
    lines.push(`part: ${name}, ${end > start ? `${time(end - start)}, ` : ""}work ${prefixed(work)}`);
  return lines.join("\n");
}

function hover(event) {
  const box = canvas.getBoundingClientRect();
  const x = event.clientX - box.left, y = event.clientY - box.top;
  const task = taskAt(x, y), transfer = transferAt(x, y);
  if (task !== hovered) { hovered = task; redraw(); }
  tip.hidden = task < 0 && transfer < 0;
  if (tip.hidden) return;
  tip.textContent = task >= 0 ? describe(task) : describeTransfer(transfer);
  tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
}

function show(first, last) {
  const whole = Math.max(1e-3, data.makespan_us);
  const length = Math.min(whole, Math.max(1e-3, last - first));
  view.first = Math.max(0, Math.min(first, whole - length));
  view.last = view.first + length;
  redraw();
}

function zoom(factor, x) {
  const t = toTime(Math.max(left, x));
  show(t - (t - view.first) * factor, t + (view.last - t) * factor);
}

canvas.addEventListener("wheel", event => {
  event.preventDefault();
  zoom(Math.exp(0.002 * event.deltaY), event.clientX - canvas.getBoundingClientRect().left);
}, {passive: false});
let dragged = null;
canvas.addEventListener("pointerdown", event => {
  dragged = {x: event.clientX, first: view.first, last: view.last};
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointerup", () => { dragged = null; });
canvas.addEventListener("pointermove", event => {
  if (!dragged) { hover(event); return; }
  const moved = (dragged.x - event.clientX) / (width - left) * (dragged.last - dragged.first);
  show(dragged.first + moved, dragged.last + moved);
});
canvas.addEventListener("pointerleave", () => { hovered = -1; tip.hidden = true; redraw(); });
canvas.addEventListener("keydown", event => {
  const step = 0.2 * (view.last - view.first);
  const actions = {ArrowLeft: () => show(view.first - step, view.last - step),
    ArrowRight: () => show(view.first + step, view.last + step),
    "+": () => zoom(0.5, (left + width) / 2), "-": () => zoom(2, (left + width) / 2)};
  if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
});

function search() {
  const words = element("search").value.trim().toLowerCase();
  matches = words === "" ? null : new Set(tasks.op.map((_, i) => i).filter(i =>
    data.operators[tasks.op[i]].name === words || `group ${tasks.group[i]}` === words ||
    data.workers[tasks.worker[i]].name.toLowerCase().startsWith(words) || `task ${i}` === words));
  nextMatch = 0;
  element("found").textContent = matches ? `${matches.size} tasks` : "";
  redraw();
}

element("search").addEventListener("input", search);
element("controls").addEventListener("submit", event => {
  event.preventDefault();
  if (!matches || matches.size === 0) return;
  const all = [...matches].sort((a, b) => tasks.start[a] - tasks.start[b]);
  const task = all[nextMatch++ % all.length];
  const length = Math.max(4 * (tasks.end[task] - tasks.start[task]), 1e-3 * data.makespan_us);
  const middle = (tasks.start[task] + tasks.end[task]) / 2;
  show(middle - length / 2, middle + length / 2);
});
element("whole").addEventListener("click", () => show(0, data.makespan_us));
for (const id of ["show-path", "show-idle"]) element(id).addEventListener("change", redraw);
addEventListener("resize", redraw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
addEventListener("beforeprint", draw);
draw();
document.body.dataset.drawn = performance.now();
