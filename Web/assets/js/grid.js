/**
 * The places of tiles: pure arithmetic, no page. All numbers are CSS pixels.
 *
 * @typedef {{x: number, y: number, width: number, height: number}} Rectangle
 */

const widest = 16 / 9;

/**
 * The arrangement in which equal tiles cover most of a space. Tiles are at most 16:9 wide, and may be cropped up to a
 * limit that depends on how upright the space is, because phones send upright pictures.
 *
 * @param {number} count
 * @param {number} width
 * @param {number} height
 * @param {number} [gap]
 * @returns {{columns: number, rows: number, tileWidth: number, tileHeight: number, tiles: Rectangle[]}}
 */
export function gridLayout(count, width, height, gap = 8) {
  if (count <= 0 || width <= 0 || height <= 0) { return { columns: 0, rows: 0, tileWidth: 0, tileHeight: 0, tiles: [] }; }
  const narrowest = width >= height ? 4 / 3 : count === 1 ? 2 / 3 : 3 / 4;
  let best = null;
  for (let columns = 1; columns <= count; columns += 1) {
    const rows = Math.ceil(count / columns);
    if (Math.ceil(count / rows) < columns) { continue; }
    let tileWidth = (width - gap * (columns - 1)) / columns;
    let tileHeight = (height - gap * (rows - 1)) / rows;
    if (tileWidth < 1 || tileHeight < 1) { continue; }
    if (tileWidth / tileHeight > widest) { tileWidth = tileHeight * widest; }
    if (tileWidth / tileHeight < narrowest) { tileHeight = tileWidth / narrowest; }
    const area = tileWidth * tileHeight;
    // A cropped picture shows less, and a ragged last row looks unsettled; both count a little.
    const crop = Math.min(1, (tileWidth / tileHeight) / (4 / 3));
    const ragged = (rows * columns - count) / (rows * columns);
    const score = area * (0.8 + 0.2 * crop) * (1 - 0.1 * ragged);
    if (!best || score > best.score) { best = { score, columns, rows, tileWidth, tileHeight }; }
  }
  if (!best) { return { columns: 0, rows: 0, tileWidth: 0, tileHeight: 0, tiles: [] }; }
  const { columns, rows, tileWidth, tileHeight } = best;
  const top = (height - rows * tileHeight - gap * (rows - 1)) / 2;
  const tiles = [];
  for (let index = 0; index < count; index += 1) {
    const row = Math.floor(index / columns);
    const inRow = row === rows - 1 ? count - row * columns : columns;
    const left = (width - inRow * tileWidth - gap * (inRow - 1)) / 2;
    const column = index - row * columns;
    tiles.push({
      x: left + column * (tileWidth + gap), y: top + row * (tileHeight + gap), width: tileWidth, height: tileHeight,
    });
  }
  return { columns, rows, tileWidth, tileHeight, tiles };
}

/**
 * One large tile with a strip of small ones next to it (wide spaces) or below it (upright ones).
 *
 * @param {number} count small tiles wanted
 * @param {number} width
 * @param {number} height
 * @param {number} [gap]
 * @returns {{main: Rectangle, strip: Rectangle[], hidden: number}} `hidden` is how many do not fit; the last strip
 *   place is then meant for a mark that says so
 */
export function spotlightLayout(count, width, height, gap = 8) {
  if (count <= 0) { return { main: { x: 0, y: 0, width, height }, strip: [], hidden: 0 }; }
  const beside = width > height * 1.15;
  const strip = [];
  if (beside) {
    // Up to six people next to the large picture are worth smaller tiles; more than that go behind the mark.
    const wanted = Math.min(count, 6);
    const fitting = (height - gap * (wanted - 1)) / wanted * widest;
    const stripWidth = Math.max(132, Math.min(260, width * 0.2, fitting));
    const tileHeight = stripWidth / widest;
    const places = Math.max(1, Math.floor((height + gap) / (tileHeight + gap) + 1e-6));
    const shown = Math.min(count, places);
    const top = (height - shown * tileHeight - gap * (shown - 1)) / 2;
    for (let index = 0; index < shown; index += 1) {
      strip.push({ x: width - stripWidth, y: top + index * (tileHeight + gap), width: stripWidth, height: tileHeight });
    }
    return { main: { x: 0, y: 0, width: width - stripWidth - gap, height }, strip, hidden: hiddenCount(count, shown) };
  }
  const stripHeight = Math.max(84, Math.min(150, height * 0.18));
  const tileWidth = Math.min(stripHeight * 4 / 3, (width - gap * 2) / 3);
  const places = Math.max(1, Math.floor((width + gap) / (tileWidth + gap) + 1e-6));
  const shown = Math.min(count, places);
  const left = (width - shown * tileWidth - gap * (shown - 1)) / 2;
  for (let index = 0; index < shown; index += 1) {
    strip.push({ x: left + index * (tileWidth + gap), y: height - stripHeight, width: tileWidth, height: stripHeight });
  }
  return { main: { x: 0, y: 0, width, height: height - stripHeight - gap }, strip, hidden: hiddenCount(count, shown) };
}

function hiddenCount(count, shown) {
  // The place of the mark itself is taken from a tile.
  return count > shown ? count - shown + 1 : 0;
}

/**
 * How many tiles a grid can show before they are too small to be of use.
 *
 * @param {number} width
 * @param {number} height
 * @returns {number} at least 2
 */
export function gridCapacity(width, height) {
  const small = Math.min(width, height) < 500;
  return Math.max(2, Math.floor(width / (small ? 84 : 130)) * Math.floor(height / (small ? 84 : 96)));
}
