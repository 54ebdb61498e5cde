/// The places of the tiles of a composed frame: rows and columns of equal tiles, as large as the space allows, the last
/// row centred.
///
/// ```swift
/// let layout = GridLayout(count: meeting.participants.count, width: 1280, height: 720, gap: 8)
/// for (participant, tile) in zip(meeting.participants, layout.tiles) { print(participant.name, tile.x, tile.y) }
/// ```
public struct GridLayout: Hashable, Sendable {
  /// A tile's place in pixels; even numbers, so that chroma lines up.
  ///
  /// ```swift
  /// let layout = GridLayout(count: 4, width: 1280, height: 720, gap: 8)
  /// func contains(_ tile: GridLayout.Tile, x: Int, y: Int) -> Bool {
  ///   (tile.x..<tile.x + tile.width).contains(x) && (tile.y..<tile.y + tile.height).contains(y)
  /// }
  /// let clicked = layout.tiles.firstIndex { contains($0, x: 200, y: 100) }
  /// ```
  public struct Tile: Hashable, Sendable {
    /// Left edge.
    ///
    /// ```swift
    /// let left = composer.layout(count: 9).tiles[0].x
    /// ```
    public var x: Int

    /// Upper edge.
    ///
    /// ```swift
    /// let top = composer.layout(count: 9).tiles[0].y
    /// ```
    public var y: Int

    /// Width.
    ///
    /// ```swift
    /// let column = composer.layout(count: 9).tiles[0].width
    /// ```
    public var width: Int

    /// Height.
    ///
    /// ```swift
    /// let row = composer.layout(count: 9).tiles[0].height
    /// ```
    public var height: Int
  }

  /// The tiles, row by row.
  ///
  /// ```swift
  /// for tile in composer.layout(count: 9).tiles { print(tile.x, tile.y, tile.width, tile.height) }
  /// ```
  public let tiles: [Tile]

  /// Lays out `count` tiles in `width` x `height` pixels.
  ///
  /// ```swift
  /// let layout = GridLayout(count: 5, width: 1920, height: 1080, gap: 10)
  /// ```
  ///
  /// - Parameters:
  ///   - count: How many tiles.
  ///   - width: Pixels a row of the whole.
  ///   - height: Rows of the whole.
  ///   - gap: Pixels between tiles and around them.
  ///   - aspect: Width by height of a tile; a single one fills the frame.
  public init(count: Int, width: Int, height: Int, gap: Int, aspect: Double = 16.0 / 9) {
    guard count > 0 else {
      tiles = []
      return
    }
    var best = (columns: 1, tileWidth: 0.0)
    for columns in 1...count {
      let rows = (count + columns - 1) / columns
      let wide = Double(width - gap * (columns + 1)) / Double(columns)
      let high = Double(height - gap * (rows + 1)) / Double(rows)
      let tileWidth = min(wide, high * aspect)
      if tileWidth > best.tileWidth { best = (columns, tileWidth) }
    }
    let columns = best.columns
    let rows = (count + columns - 1) / columns
    let tileWidth = max(Int(best.tileWidth) & ~1, 2)
    let tileHeight = max(Int(best.tileWidth / aspect) & ~1, 2)
    let top = (height - rows * tileHeight - (rows - 1) * gap) / 2
    tiles = (0..<count).map { index in
      let row = index / columns
      let inRow = min(columns, count - row * columns)
      let left = (width - inRow * tileWidth - (inRow - 1) * gap) / 2
      return Tile(
        x: max(0, left + index % columns * (tileWidth + gap)) & ~1, y: max(0, top + row * (tileHeight + gap)) & ~1,
        width: tileWidth, height: tileHeight)
    }
  }
}
