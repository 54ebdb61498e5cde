public import Basics
import Synchronization

/// A moving test video that is made here: for demo bots, for trying things out without a camera, and for tests. A clock
/// is burnt into the upper left corner, and a ``TestPictureMarker`` along the lower edge identifies each frame for
/// programs.
///
/// Costs about 1 % of a core at 640x360 and 25 frames a second in a release build.
///
/// ```swift
/// try await meeting.local.publish(LocalVideoTrack(TestPictureSource(.planets)))
/// ```
public final class TestPictureSource: VideoSource {
  /// The scene of a test video.
  ///
  /// ```swift
  /// func style(_ number: Int) -> TestPictureSource.Style {
  ///   let styles: [TestPictureSource.Style] = [.planets, .waves, .face, .bars]
  ///   return styles[number & 3]
  /// }
  /// ```
  public enum Style: String, CaseIterable, Sendable {
    /// Planets around a sun.
    case planets
    /// Waves in evening light with a paper boat.
    case waves
    /// A round face that bounces, blinks and speaks.
    case face
    /// A test card with colour bars.
    case bars
  }

  /// Pixels a row.
  ///
  /// ```swift
  /// let pixels = TestPictureSource().width * TestPictureSource().height
  /// ```
  public let width: Int

  /// Rows.
  ///
  /// ```swift
  /// let picture = TestPictureSource(width: 1280, height: 720)
  /// let file = try FileSink("test.webm", tracks: .video, width: picture.width, height: picture.height)
  /// ```
  public let height: Int

  /// Frames a second, 1 to 120.
  ///
  /// ```swift
  /// let picture = TestPictureSource(framesPerSecond: 30)
  /// let options = VideoOptions(maximumFramesPerSecond: picture.framesPerSecond)
  /// ```
  public let framesPerSecond: Int

  /// The scene that it shows.
  ///
  /// ```swift
  /// let name = TestPictureSource(.waves).style.rawValue  // "waves"
  /// ```
  public let style: Style

  /// The source's id in its marker.
  ///
  /// ```swift
  /// let picture = TestPictureSource(sourceID: 7)
  /// let isOwn = TestPictureMarker.read(from: frame)?.sourceID == picture.sourceID
  /// ```
  public let sourceID: UInt8

  private let voice: BabblePattern?
  private let flashes: Bool
  private let clock: TestClock
  private let thread = Mutex<PacedThread?>(nil)

  /// A test video.
  ///
  /// ```swift
  /// let picture = TestPictureSource(.face, width: 1280, height: 720, voice: BabblePattern())
  /// ```
  ///
  /// - Parameters:
  ///   - style: The scene.
  ///   - width: 48 to ``VideoFrame/maximumDimension``.
  ///   - height: 32 to ``VideoFrame/maximumDimension``.
  ///   - framesPerSecond: 1 to 120. Frames are due on a grid that begins with each second of the clock.
  ///   - sourceID: Identifies the source in the marker.
  ///   - voice: The rhythm of the ``ToneSource`` that belongs to it, so that the face's mouth moves with the audio and
  ///     every style shows who speaks. nil: the mouth moves all the time.
  ///   - flashes: The lip-sync signal: the whole frame above the marker is white in the first 100 ms of each second,
  ///     together with the beep of a ``ToneSource`` on the same clock.
  ///   - clock: The clock that it shows and flashes by.
  public init(
    _ style: Style = .planets, width: Int = 640, height: Int = 360, framesPerSecond: Int = 25, sourceID: UInt8 = 0,
    voice: BabblePattern? = nil, flashes: Bool = false, clock: TestClock = .shared
  ) {
    self.style = style
    self.width = width
    self.height = height
    self.framesPerSecond = framesPerSecond
    self.sourceID = sourceID
    self.voice = voice
    self.flashes = flashes
    self.clock = clock
  }

  deinit { stop() }

  /// Begins to deliver.
  ///
  /// ```swift
  /// let picture = TestPictureSource()
  /// try picture.start { frame in show(frame) }
  /// ```
  public func start(_ sink: @escaping @Sendable (VideoFrame) -> Void) throws(MediaError) {
    let painter = try makePainter()
    stop()
    let first = clock.gridPoint(before: MonotonicClock.now, rate: framesPerSecond)
    let started = try PacedThread(name: "test picture", start: first, rate: framesPerSecond) { due, _ in
      sink(painter.paint(at: due))
    }
    thread.exchange(started)?.stop()
  }

  /// Stops; nothing is delivered afterwards.
  ///
  /// ```swift
  /// let picture = TestPictureSource()
  /// try picture.start { frame in show(frame) }
  /// picture.stop()
  /// ```
  public func stop() { thread.exchange(nil)?.stop() }

  /// The frame of one instant, without starting: for tests and thumbnails.
  ///
  /// ```swift
  /// try ImageFile.writePNG(TestPictureSource(.bars).frame(at: MonotonicClock.now), to: "bars.png")
  /// ```
  public func frame(at instant: Instant) throws(MediaError) -> VideoFrame { try makePainter().paint(at: instant) }

  private func makePainter() throws(MediaError) -> Painter {
    guard (48...VideoFrame.maximumDimension).contains(width), (32...VideoFrame.maximumDimension).contains(height) else {
      throw .invalid(
        "A test picture of \(width)x\(height) is not possible: 48x32 to \(VideoFrame.maximumDimension) each way.")
    }
    guard (1...120).contains(framesPerSecond) else {
      throw .invalid("A test picture cannot have \(framesPerSecond) frames a second: 1 to 120 are possible.")
    }
    let scene: any TestScene =
      switch style {
      case .planets: PlanetsScene(width: width, height: height)
      case .waves: WavesScene(width: width, height: height)
      case .face: FaceScene(width: width, height: height)
      case .bars: BarsScene(width: width, height: height)
      }
    return Painter(
      width: width, height: height, sourceID: sourceID, scene: scene, face: ClockFace(height: height),
      voice: voice ?? BabblePattern(turn: 0, of: 1), flashes: flashes, clock: clock)
  }

  /// Everything one run needs, used by its thread only.
  // unchecked: the scene is not shared; the painter passes to the thread that paints and stays there.
  private final class Painter: @unchecked Sendable {
    let width: Int
    let height: Int
    let sourceID: UInt8
    let scene: any TestScene
    let face: ClockFace
    let voice: BabblePattern
    let flashes: Bool
    let clock: TestClock

    init(
      width: Int, height: Int, sourceID: UInt8, scene: any TestScene, face: ClockFace, voice: BabblePattern,
      flashes: Bool,
      clock: TestClock
    ) {
      self.width = width
      self.height = height
      self.sourceID = sourceID
      self.scene = scene
      self.face = face
      self.voice = voice
      self.flashes = flashes
      self.clock = clock
    }

    func paint(at instant: Instant) -> VideoFrame {
      let flash = flashes && clock.isFlash(at: instant)
      let milliseconds = clock.milliseconds(at: instant)
      return VideoFrame(width: width, height: height, time: instant) { y, u, v in
        guard let canvas = Canvas(width: width, height: height, y, u, v) else { return }
        if flash {
          canvas.clear(Colour(0xFFFFFF))
        } else {
          let nanoseconds = clock.nanoseconds(at: instant)
          // The day is cut off before the number becomes a Double, so that movement stays smooth.
          let seconds = Double(nanoseconds % (TestClock.dayLength * 1_000_000)) / 1e9
          scene.draw(on: canvas, seconds: seconds, voice: Float(voice.loudness(atNanoseconds: nanoseconds)))
          face.draw(milliseconds, on: canvas)
        }
        TestPictureMarker(sourceID: sourceID, milliseconds: milliseconds, isFlash: flash).draw(on: canvas)
      }
    }
  }
}
