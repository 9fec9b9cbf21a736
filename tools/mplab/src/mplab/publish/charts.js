/* SPDX-License-Identifier: MIT */
/* Charts of what a run measured over time. Embedded into each page; asks no other machine for anything. */
"use strict";
const COLOURS = ["#1f77b4", "#d95f02", "#2a9d3a", "#9467bd", "#8c564b", "#17a2b8", "#e377c2", "#7f7f7f", "#111111"];
const WIDE = 420, HIGH = 190, LEFT = 52, BELOW = 30, TOP = 8, RIGHT = 8;

function make(name, attributes, parent, text) {
  const svg = ["svg", "line", "polyline", "text", "title"].includes(name);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

/* The next of 1, 2, 5, 10, ... for so many steps up to the limit. */
function step(limit, steps) {
  const raw = Math.max(limit, 1e-9) / steps, power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find(n => n * power >= raw);
}

function limits(charts) {
  const points = charts.flatMap(chart => chart.lines.flatMap(line => line.points));
  return [0, 1].map(axis => points.reduce((most, point) => Math.max(most, point[axis]), 0) || 1);
}

/* A path has one colour wherever it is; other lines have theirs from the end. */
function colours(lines) {
  const others = lines.map(line => line.name).filter(name => !/^path \d+$/.test(name));
  return lines.map(({ name }) => {
    const path = /^path (\d+)$/.exec(name);
    const place = path ? path[1] - 1 : name ? COLOURS.length - 1 - others.indexOf(name) : 0;
    return COLOURS[(place + COLOURS.length) % COLOURS.length];
  });
}

function draw(parent, chart, who, [right, top]) {
  const figure = make("figure", {}, parent);
  const caption = make("figcaption", {}, figure, who + ": " + chart.title);
  const key = make("div", {}, caption);
  const svg = make("svg", { viewBox: "0 0 " + WIDE + " " + HIGH, role: "img", "aria-label": who + ": " + chart.title }, figure);
  const x = value => LEFT + value / right * (WIDE - LEFT - RIGHT);
  const y = value => HIGH - BELOW - value / top * (HIGH - BELOW - TOP);
  for (let v = 0; v <= top; v += step(top, 4)) {
    make("line", { x1: LEFT, x2: WIDE - RIGHT, y1: y(v), y2: y(v), stroke: "#e4e4e4" }, svg);
    make("text", { x: LEFT - 5, y: y(v) + 4, "text-anchor": "end" }, svg, +v.toPrecision(6));
  }
  for (let v = 0; v <= right; v += step(right, 5))
    make("text", { x: x(v), y: HIGH - BELOW + 14, "text-anchor": "middle" }, svg, +v.toPrecision(6));
  make("text", { x: WIDE - RIGHT, y: HIGH - 3, "text-anchor": "end" }, svg, chart.x);
  const found = colours(chart.lines);
  chart.lines.forEach((line, i) => {
    const points = line.points.map(([a, b]) => x(a).toFixed(1) + "," + y(b).toFixed(1)).join(" ");
    const colour = found[i];
    make("title", {}, make("polyline", { points, fill: "none", stroke: colour, "stroke-width": 1.3 }, svg), line.name);
    if (line.name) make("span", { style: "margin-right: .8em; color: " + colour }, key, line.name + " ");
  });
}

/* A row per kind of chart, a column per run. titles: all kinds that there may be, in their order. */
function show(place, runs, titles) {
  place.replaceChildren();
  for (const title of titles) {
    const found = runs.map(run => run.charts.find(chart => chart.title === title));
    if (!found.some(Boolean)) continue;
    const scale = limits(found.filter(Boolean)), section = make("section", {}, place);
    found.forEach((chart, i) => chart && draw(section, chart, runs[i].who, scale));
  }
}

const titles = runs => [...new Set(runs.flatMap(run => run.charts.map(chart => chart.title)))];
