public import Basics
import Glibc

/// Composes the videos of a meeting into one: a grid with names, as a recorder, a stream or a plain view needs it.
///
/// Costs about 3 ms for nine tiles at 1280x720, most of it scaling. Not thread-safe: use it from one queue.
///
/// ```swift
/// let composer = try FrameComposer(width: 1280, height: 720)
/// let tiles = meeting.participants.map { participant in
///   FrameComposer.Tile(name: participant.name, frame: nil, isSpeaking: participant.isSpeaking)
/// }
/// show(composer.compose(tiles, time: MonotonicClock.now))
/// ```
public final class FrameComposer {
  /// One participant.
  ///
  /// ```swift
  /// let tile = FrameComposer.Tile(name: participant.name, frame: frame, isSpeaking: participant.isSpeaking)
  /// ```
  public struct Tile: Sendable {
    /// The name on the tile; empty writes nothing.
    ///
    /// ```swift
    /// var tile = FrameComposer.Tile(name: "", frame: frame)
    /// tile.name = participant.name
    /// ```
    public var name: String

    /// The latest frame; nil shows the initials.
    ///
    /// ```swift
    /// var tile = FrameComposer.Tile(name: participant.name, frame: nil)
    /// tile.frame = frame  // whenever a picture comes
    /// ```
    public var frame: VideoFrame?

    /// Puts a bright border around it.
    ///
    /// ```swift
    /// var tile = FrameComposer.Tile(name: participant.name, frame: frame)
    /// tile.isSpeaking = participant.isSpeaking
    /// ```
    public var isSpeaking: Bool

    /// Shows a crossed-out microphone next to the name.
    ///
    /// ```swift
    /// var tile = FrameComposer.Tile(name: participant.name, frame: frame)
    /// tile.isMuted = participant.publication(.microphone)?.isMuted ?? true
    /// ```
    public var isMuted: Bool

    /// A tile.
    ///
    /// ```swift
    /// let tile = FrameComposer.Tile(name: "Bob", frame: nil, isMuted: true)
    /// ```
    public init(name: String, frame: VideoFrame?, isSpeaking: Bool = false, isMuted: Bool = false) {
      self.name = name
      self.frame = frame
      self.isSpeaking = isSpeaking
      self.isMuted = isMuted
    }
  }

  /// How a frame of another shape goes into its tile.
  ///
  /// ```swift
  /// let forRecording = try FrameComposer(fit: .letterbox)  // nothing may be lost
  /// let forShow = try FrameComposer(fit: .crop)
  /// ```
  public enum Fit: Hashable, Sendable {
    /// The whole frame, with bars.
    case letterbox
    /// Filling the tile, its edges cut. An upright frame is never cut to less than half and gets bars then.
    case crop
  }

  /// Pixels a row of the composed frame.
  ///
  /// ```swift
  /// let picture = frame.scaled(width: composer.width, height: composer.height)
  /// ```
  public let width: Int

  /// Rows of the composed frame.
  ///
  /// ```swift
  /// let file = try FileSink("meeting.webm", width: composer.width, height: composer.height)
  /// ```
  public let height: Int

  /// How frames go into their tiles.
  ///
  /// ```swift
  /// let isWhole = composer.fit == .letterbox
  /// ```
  public let fit: Fit

  private let text: TextRenderer
  private let background = Colour(0x11141C)
  private let unit: Float

  /// A composer of frames of a size.
  ///
  /// ```swift
  /// let composer = try FrameComposer(width: 1920, height: 1080, fit: .letterbox)
  /// ```
  ///
  /// - Throws: ``MediaError/missingComponent(_:hint:)`` when Cairo and Pango are not installed,
  ///   ``MediaError/invalid(_:)`` for sizes out of range.
  public init(width: Int = 1280, height: Int = 720, fit: Fit = .crop) throws(MediaError) {
    guard (64...VideoFrame.maximumDimension).contains(width), (64...VideoFrame.maximumDimension).contains(height) else {
      throw .invalid(
        "A composed frame of \(width)x\(height) is not possible: 64 to \(VideoFrame.maximumDimension) each way.")
    }
    self.width = width
    self.height = height
    self.fit = fit
    unit = Float(min(height, width * 9 / 16)) / 720
    text = try TextRenderer()
  }

  /// The places of the tiles of `count` participants.
  ///
  /// ```swift
  /// let first = composer.layout(count: meeting.participants.count).tiles.first
  /// ```
  public func layout(count: Int) -> GridLayout {
    GridLayout(count: count, width: width, height: height, gap: max(2, Int(10 * unit)) & ~1)
  }

  /// Composes one frame of all tiles, in their order; none gives an empty background.
  ///
  /// ```swift
  /// let picture = composer.compose(
  ///   [.init(name: "Ann", frame: frame, isSpeaking: true), .init(name: "Bob", frame: nil, isMuted: true)],
  ///   time: MonotonicClock.now)
  /// ```
  public func compose(_ tiles: [Tile], time: Instant) -> VideoFrame {
    let places = layout(count: tiles.count).tiles
    let prepared = zip(tiles, places).map { tile, place in tile.frame.map { fitted($0, place) } }
    return VideoFrame(width: width, height: height, time: time) { y, u, v in
      guard let canvas = Canvas(width: width, height: height, y, u, v) else { return }
      canvas.clear(background)
      for (index, place) in places.enumerated() {
        draw(tiles[index], picture: prepared[index], place, on: canvas)
      }
    }
  }

  // MARK: Pictures

  /// The frame scaled so that it fills the tile, or fits into it.
  private func fitted(_ frame: VideoFrame, _ place: GridLayout.Tile) -> VideoFrame {
    let tileAspect = Double(place.width) / Double(place.height)
    let aspect = Double(frame.width) / Double(frame.height)
    let kept = aspect < tileAspect ? aspect / tileAspect : tileAspect / aspect
    if fit == .crop, kept >= 0.5 {
      let cropWidth = aspect > tileAspect ? max(2, Int(Double(frame.height) * tileAspect) & ~1) : frame.width
      let cropHeight = aspect > tileAspect ? frame.height : max(2, Int(Double(frame.width) / tileAspect) & ~1)
      let part = frame.cropped(
        x: (frame.width - cropWidth) / 2, y: (frame.height - cropHeight) / 2, width: cropWidth, height: cropHeight)
      return part.scaled(width: place.width, height: place.height)
    }
    let size = frame.size(fitting: place.width, place.height)
    return frame.scaled(width: size.width, height: size.height)
  }

  private func draw(_ tile: Tile, picture: VideoFrame?, _ place: GridLayout.Tile, on canvas: Canvas) {
    let radius = min(12 * unit, Float(place.height) / 8)
    let scale = labelScale(place)
    if let picture {
      if picture.width < place.width || picture.height < place.height {
        canvas.fill(x: place.x, y: place.y, width: place.width, height: place.height, Colour(0x191D28))
      }
      canvas.copy(
        picture, x: place.x + ((place.width - picture.width) / 2 & ~1),
        y: place.y + ((place.height - picture.height) / 2 & ~1))
    } else {
      drawInitials(tile.name, place, on: canvas)
    }
    canvas.roundCorners(place, radius: radius, background)
    drawLabel(tile, place, scale, on: canvas)
    if tile.isSpeaking {
      canvas.roundedRectangle(
        x: Float(place.x), y: Float(place.y), width: Float(place.width), height: Float(place.height), radius: radius,
        Colour(0x41D18B), thickness: max(2, 4 * unit))
    }
  }

  /// Names stay readable: in small tiles they shrink less than the tile.
  private func labelScale(_ place: GridLayout.Tile) -> Float {
    max(min(Float(place.height) / 360, 1.4 * unit) * 0.5 + 0.5 * unit, 0.4)
  }

  // MARK: Names

  private func drawLabel(_ tile: Tile, _ place: GridLayout.Tile, _ scale: Float, on canvas: Canvas) {
    let size = max(9, Int(19 * scale))
    let padding = Float(size) * 0.55
    let margin = max(4, Float(size) * 0.5)
    let height = Float(size) * 1.75
    let icon = tile.isMuted ? Float(size) * 1.15 : 0
    let room = Int(Float(place.width) - 2 * margin - 2 * padding - icon)
    guard room > size, Float(place.height) > height * 2, !tile.name.isEmpty || tile.isMuted else { return }
    let mask = tile.name.isEmpty ? nil : text.mask(tile.name, size: size, width: room)
    let width = Float(mask?.width ?? 0) + icon + 2 * padding - (mask == nil ? padding * 0.4 : 0)
    let left = Float(place.x) + margin
    let top = Float(place.y + place.height) - margin - height
    canvas.roundedRectangle(
      x: left, y: top, width: width, height: height, radius: height * 0.32, Colour(0x0A0C12), alpha: 0.68)
    if tile.isMuted {
      drawMutedMicrophone(x: left + padding + Float(size) * 0.32, y: top + height / 2, size: Float(size), on: canvas)
    }
    if let mask {
      canvas.mask(
        mask, x: Int(left + padding + icon), y: Int(top + (height - Float(mask.height)) / 2), Colour(0xFFFFFF))
    }
  }

  private func drawMutedMicrophone(x: Float, y: Float, size: Float, on canvas: Canvas) {
    let red = Colour(0xFF6B6B)
    let stroke = max(1.2, size * 0.09)
    canvas.line(
      x0: x, y0: y - size * 0.26, x1: x, y1: y - size * 0.02, thickness: size * 0.3, red)
    var from = SIMD2(x - size * 0.28, y - size * 0.02)
    for step in 1...6 {
      // The holder under the microphone: half a circle.
      let angle = Float(step) / 6 * .pi
      let to = SIMD2(x - size * 0.28 * cos(angle), y - size * 0.02 + size * 0.26 * sin(angle))
      canvas.line(x0: from.x, y0: from.y, x1: to.x, y1: to.y, thickness: stroke, red)
      from = to
    }
    canvas.line(x0: x, y0: y + size * 0.24, x1: x, y1: y + size * 0.42, thickness: stroke, red)
    canvas.line(
      x0: x - size * 0.36, y0: y - size * 0.40, x1: x + size * 0.36, y1: y + size * 0.40, thickness: stroke * 2.4,
      Colour(0x0A0C12))
    canvas.line(
      x0: x - size * 0.36, y0: y - size * 0.40, x1: x + size * 0.36, y1: y + size * 0.40, thickness: stroke, red)
  }

  private func drawInitials(_ name: String, _ place: GridLayout.Tile, on canvas: Canvas) {
    canvas.fill(x: place.x, y: place.y, width: place.width, height: place.height, Colour(0x232836))
    let palette: [UInt32] = [0x5B7CFA, 0xB35BD6, 0xD65B7E, 0xCF7A3A, 0x3E9E7A, 0x2F8FB3, 0x7A6BD8, 0x9A7B2E]
    // The same name has the same colour in every meeting.
    let hash = name.unicodeScalars.reduce(UInt32(7)) { $0 &* 31 &+ $1.value }
    let radius = Float(min(place.width, place.height)) * 0.24
    let x = Float(place.x) + Float(place.width) / 2
    let y = Float(place.y) + Float(place.height) / 2 - Float(place.height) * 0.03
    canvas.disc(x: x, y: y, radius: radius, Colour(palette[Int(hash % UInt32(palette.count))]))
    let initials = Initials.of(name)
    let mask = text.mask(initials, size: max(8, Int(radius * 0.8)), bold: true, width: Int(radius * 2))
    canvas.mask(
      mask, x: Int(x - Float(mask.width) / 2), y: Int(y - Float(mask.height) / 2), Colour(0xFFFFFF))
  }
}
