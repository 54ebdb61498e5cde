public import Basics
import Synchronization

/// Video from any GStreamer pipeline: a network camera, a capture card, a test source; ``CameraSource`` and
/// ``ScreenSource`` stand on it.
///
/// The plugins that a description names must be installed, and are run inside this process: never take one from
/// strangers.
///
/// ```swift
/// let card = PipelineVideoSource("v4l2src device=/dev/video2", name: "capture card", width: 1280, height: 720)
/// try await meeting.local.publish(LocalVideoTrack(card))
/// ```
public final class PipelineVideoSource: VideoSource {
  private let recipe: PipelineRunner.Recipe
  private let timeout: TimeSpan
  private let runner = Mutex<PipelineRunner?>(nil)

  /// A source that runs a pipeline.
  ///
  /// ```swift
  /// let ball = PipelineVideoSource(
  ///   "videotestsrc is-live=true pattern=ball", width: 640, height: 360, framesPerSecond: 25)
  /// ```
  ///
  /// - Parameters:
  ///   - description: In the notation of `gst-launch-1.0`, up to the element that gives video, raw or coded. It should
  ///     be live: frames are taken as they come.
  ///   - name: The name in errors.
  ///   - width: The wanted size; borders are added if the shape differs. nil: as it comes.
  ///   - height: Likewise.
  ///   - framesPerSecond: The wanted rate; nil: as it comes.
  ///   - timeout: The limit for starting.
  public convenience init(
    _ description: String, name: String = "pipeline", width: Int? = nil, height: Int? = nil,
    framesPerSecond: Int? = nil,
    timeout: TimeSpan = .seconds(10)
  ) {
    self.init(
      description, name: name, width: width, height: height, framesPerSecond: framesPerSecond, timeout: timeout,
      properties: [])
  }

  init(
    _ description: String, name: String, width: Int?, height: Int?, framesPerSecond: Int?, timeout: TimeSpan,
    properties: [(element: String, property: String, value: String)]
  ) {
    var caps = "video/x-raw,format=I420,pixel-aspect-ratio=1/1"
    if let width { caps += ",width=\(width)" }
    if let height { caps += ",height=\(height)" }
    if let framesPerSecond { caps += ",framerate=\(framesPerSecond)/1" }
    let rate = framesPerSecond == nil ? "" : "! videorate drop-only=false skip-to-first=true "
    recipe = PipelineRunner.Recipe(
      description: "\(description) ! decodebin ! videoconvert ! videoscale \(rate)! \(caps) "
        + "! appsink name=video sync=false max-buffers=2 drop=true",
      name: name, properties: properties, isLive: true)
    self.timeout = timeout
  }

  deinit { stop() }

  /// Begins to deliver.
  ///
  /// ```swift
  /// let ball = PipelineVideoSource("videotestsrc is-live=true pattern=ball")
  /// try ball.start { frame in show(frame) }
  /// ```
  public func start(_ sink: @escaping @Sendable (VideoFrame) -> Void) throws(MediaError) {
    try start(sink) { _ in }
  }

  /// Begins to deliver, and reports when the pipeline has ended or failed.
  ///
  /// ```swift
  /// let ball = PipelineVideoSource("videotestsrc is-live=true num-buffers=100")
  /// try ball.start { frame in show(frame) } onEnd: { error in print(error?.description ?? "It is over.") }
  /// ```
  public func start(
    _ sink: @escaping @Sendable (VideoFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    stop()
    let started = try PipelineRunner(recipe, timeout: timeout, video: sink, audio: nil, onEnd: onEnd)
    runner.exchange(started)?.stop()
  }

  /// Stops; nothing is delivered afterwards.
  ///
  /// ```swift
  /// let ball = PipelineVideoSource("videotestsrc is-live=true pattern=ball")
  /// try ball.start { frame in show(frame) }
  /// ball.stop()
  /// ```
  public func stop() { runner.exchange(nil)?.stop() }
}
