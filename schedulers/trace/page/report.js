"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const tasks = data.tasks;
const element = id => document.getElementById(id);
const causeColors = ["#9575cd", "#f4b04a", "#d81b60", "#78909c", "#00897b", "#c9c9cf"];
const busyColor = "#4a7fb5";

// ---- numbers ----------------------------------------------------------------------------------
function prefixed(value) {
  const prefixes = ["n", "\u00b5", "m", "", "k", "M", "G", "T"];
  let unit = 3;
  while (Math.abs(value) >= 999.5 && unit < 7) { value /= 1000; ++unit; }
  while (value !== 0 && Math.abs(value) < 0.9995 && unit > 0) { value *= 1000; --unit; }
  const size = Math.abs(value);
  return value.toFixed(size >= 99.95 || size === 0 ? 0 : size >= 9.995 ? 1 : 2) + " " + prefixes[unit];
}
const time = microseconds => prefixed(1e-6 * microseconds) + "s";
const shortName = worker => worker.name.split(" (")[0]; // without what a GPU is
const percent = share => (100 * share).toFixed(share < 0.0995 ? 1 : 0) + " %";

// ---- text and tables --------------------------------------------------------------------------
function append(parent, tag, text, color) {
  const child = document.createElement(tag);
  if (color) {
    const swatch = document.createElement("span");
    swatch.className = "swatch";
    swatch.style.background = color;
    child.append(swatch);
  }
  child.append(text);
  parent.append(child);
  return child;
}

function fillTable(table, head, rows, nText = 1) {
  const row = (parent, tag, cells) => {
    const line = append(parent, "tr", "");
    cells.forEach((cell, i) => {
      const made = append(line, tag, cell.text ?? cell, cell.color);
      if (i < nText) made.className = "text";
    });
  };
  row(append(table, "thead", ""), "th", head);
  const body = append(table, "tbody", "");
  rows.forEach(cells => row(body, "td", cells));
}

function writeText() {
  element("summary").textContent = `${tasks.op.length} tasks on ${data.workers.length} workers in ` +
    `${time(data.makespan_us)}, scheduler ${data.scheduler}` +
    (data.transferred_bytes > 0 ? `; ${prefixed(data.transferred_bytes)}B moved between memories` : "");
  element("transfers").textContent = transferText();
  const advice = data.advice.length > 0 ? data.advice : ["Nothing stands out."];
  advice.forEach(text => append(element("advice"), "li", text));
  if (data.makespan_us <= 0) return;
  element("bound").textContent = `No schedule of these tasks on these workers takes less than ${time(data.bound_us)}: ` +
    `the critical path takes ${time(data.path_us)}, all tasks on workers that never wait ${time(data.area_us)}. ` +
    `The run took ${(data.makespan_us / data.bound_us).toFixed(2)} times that. ` +
    predictions() + overlap();
  writeTables();
}

function transferText() {
  const held = data.memories.map(memory => `${memory.name}: at most ` +
    `${prefixed(memory.uses.reduce((most, use) => Math.max(most, use[1]), 0))}B held`).join("; ");
  if (!data.has_transfers) return "This trace does not tell transfers one by one.";
  if (data.links.length === 0) return `Nothing was transferred. ${held}`;
  return held;
}

function predictions() {
  const p = data.predictions;
  return p.tasks === 0 ? "The scheduler predicted no times."
    : `Of ${p.tasks} tasks that the scheduler predicted, the measured time is ${p.ratio.toFixed(2)} times ` +
      `the predicted one, and the error ${percent(p.error)} (medians).`;
}

function overlap() {
  const o = data.overlap;
  return o.lists_us === 0 ? "" : ` Cores found lists for ${time(o.lists_us)} while GPUs were busy for ` +
    `${time(o.gpus_us)}: ${percent(o.unhidden)} of the shorter is not hidden.`;
}

function writeTables() {
  const share = value => percent(value / data.makespan_us);
  fillTable(element("workers"), ["worker", "tasks", {text: "busy", color: busyColor},
    ...data.causes.map((cause, i) => ({text: cause.name, color: causeColors[i]}))],
    data.workers.map(w => [w.name, w.tasks, share(w.busy_us), ...w.idle_us.map(share)]));
  fillTable(element("operators"), ["operator", "worker", "tasks", "time", "mean", "work", "work/s", "best task", "floor's", "reached", "measured/predicted"],
    data.uses.map(u => [{text: data.operators[u.op].name, color: data.operators[u.op].color},
      data.workers[u.worker].name, u.tasks, time(u.time_us), time(u.time_us / u.tasks), prefixed(u.work),
      u.work > 0 && u.time_us > 0 ? prefixed(1e6 * u.work / u.time_us) : "\u2013",
      u.best_rate > 0 ? prefixed(u.best_rate) : "\u2013",
      u.floor_rate > 0 ? prefixed(u.floor_rate) : "\u2013",
      u.floor_rate > 0 && u.time_us > 0 ? percent(1e6 * u.work / u.time_us / u.floor_rate) : "\u2013",
      u.ratio > 0 ? u.ratio.toFixed(2) : "\u2013"]), 2);
  const unknown = new Set(data.workers.filter(w => !w.has_floors).map(w => w.unit || "units without a name"));
  element("floors").textContent = "Floor's: work a second where nothing but the unit's own rate bounds the operator" +
    (unknown.size > 0 ? `; not known for ${[...unknown].join(", ")}.` : ".");
  if (data.part_uses.length > 0)
    fillTable(element("parts"), ["part of", "operator", "worker", "parts", "time", "work", "work/s"],
      data.part_uses.map(u => [{text: data.operators[u.op].name, color: data.operators[u.op].color}, u.name,
        data.workers[u.worker].name, u.parts, u.time_us > 0 ? time(u.time_us) : "not recorded", prefixed(u.work),
        u.time_us > 0 && u.work > 0 ? prefixed(1e6 * u.work / u.time_us) : "\u2013"]), 3);
  if (data.links.length > 0)
    fillTable(element("links"), ["link", "transfers", "bytes", "time", "bytes/s", "share of the run"],
      data.links.map(l => [l.name, l.transfers, `${prefixed(l.bytes)}B`, time(l.time_us),
        l.time_us > 0 ? prefixed(1e6 * l.bytes / l.time_us) : "\u2013", share(l.time_us)]));
  fillTable(element("path"), ["on the critical path", "tasks", "time", "share"],
    data.shares.map(s => [{text: data.operators[s.op].name, color: data.operators[s.op].color}, s.tasks,
      time(s.time_us), percent(s.time_us / data.path_us)]));
  for (const worker of data.workers) {
    const bar = append(element("bars"), "div", "");
    bar.className = "bar";
    append(bar, "span", shortName(worker));
    const parts = append(bar, "div", "");
    [worker.busy_us, ...worker.idle_us].forEach((value, i) => {
      const part = append(parts, "i", "");
      part.style.width = `${100 * value / data.makespan_us}%`;
      part.style.background = i === 0 ? busyColor : causeColors[i - 1];
      part.title = `${i === 0 ? "busy" : data.causes[i - 1].name}: ${share(value)}`;
    });
  }
  const key = append(element("bars"), "p", "");
  key.className = "key";
  append(key, "span", "busy", busyColor);
  data.causes.forEach((cause, i) => append(key, "span", `${cause.name}: ${cause.meaning}`, causeColors[i]));
  data.operators.forEach(op => append(element("legend"), "span", op.name, op.color));
}

writeText();
