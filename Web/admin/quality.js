// The quality of a connection over time, as a small line.

import { svg } from "./dom.js";

const LEVELS = { excellent: 3, good: 2, poor: 1, lost: 0 };

/** The name of a quality, and its colour. */
export const QUALITY = {
  excellent: ["Excellent", "good"], good: ["Good", "good"], poor: ["Poor", "warn"], lost: ["Lost", "bad"],
};

/**
 * A line of steps, the newest at the right; nothing where nothing was known.
 *
 * @param {{time: string, quality?: string}[]} samples
 * @param {string} name whose it is
 */
export function qualityLine(samples, name) {
  const width = 180;
  const height = 36;
  const most = 120;
  const step = width / most;
  const start = width - samples.length * step;
  const y = (level) => 4 + (3 - level) * ((height - 8) / 3);
  let path = "";
  let before = null;
  samples.forEach((sample, index) => {
    const level = LEVELS[sample.quality];
    const x = start + index * step;
    if (level === undefined) { before = null; return; }
    path += before === null ? `M${x.toFixed(1)} ${y(level).toFixed(1)}` : `V${y(level).toFixed(1)}`;
    path += `H${(x + step).toFixed(1)}`;
    before = level;
  });
  const known = samples.filter((sample) => sample.quality);
  const bad = known.filter((sample) => LEVELS[sample.quality] < 2).length;
  const minutes = Math.max(1, Math.round(samples.length * 5 / 60));
  const label = known.length
    ? `Quality of ${name} over the last ${minutes} minute${minutes === 1 ? "" : "s"}: ${bad ? `poor or lost ${Math.round(100 * bad / known.length)} % of the time` : "good all the time"}`
    : `Nothing is known yet of ${name}'s connection`;
  return svg("svg", { class: `quality-line${bad ? " bad" : ""}`, viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label },
    Object.assign(svg("title"), { textContent: label }),
    svg("line", { class: "grid", x1: 0, x2: width, y1: y(2), y2: y(2) }),
    svg("line", { class: "grid", x1: 0, x2: width, y1: y(0), y2: y(0) }),
    svg("path", { class: "curve", d: path }));
}
