import Glibc

/// The video of a screen, for sharing it.
///
/// On X it takes a display by its name. On Wayland the desktop asks the person first: have the portal's `ScreenCast`
/// interface give a PipeWire stream, and pass its number.
///
/// ```swift
/// let track = LocalVideoTrack(ScreenSource(), options: VideoOptions(isScreen: true))
/// try await meeting.local.publish(track, as: .screen)
/// ```
public final class ScreenSource: VideoSource {
  /// The screen to capture.
  ///
  /// ```swift
  /// let onX = ScreenSource(.display(":0"))
  /// let onWayland = ScreenSource(.pipeWire(node: 42))  // the portal gave 42
  /// ```
  public enum Screen: Hashable, Sendable {
    /// An X display such as ":0"; nil takes the one that `DISPLAY` names.
    case display(String?)
    /// A PipeWire stream, by the node number that the portal gave.
    case pipeWire(node: UInt32)
  }

  private let screen: Screen
  private let source: PipelineVideoSource

  /// A screen. It is opened when it is started.
  ///
  /// ```swift
  /// let screen = ScreenSource(.display(nil), framesPerSecond: 5, showsPointer: false)
  /// ```
  ///
  /// - Parameters:
  ///   - screen: The display or PipeWire stream.
  ///   - framesPerSecond: Frames a second.
  ///   - showsPointer: Whether the pointer is in the video (X only; the portal decides elsewhere).
  public init(_ screen: Screen = .display(nil), framesPerSecond: Int = 15, showsPointer: Bool = true) {
    self.screen = screen
    switch screen {
    case .display(let name):
      source = PipelineVideoSource(
        "ximagesrc name=device use-damage=false show-pointer=\(showsPointer) ! video/x-raw,framerate=\(framesPerSecond)/1",
        name: "screen", width: nil, height: nil, framesPerSecond: nil, timeout: .seconds(10),
        properties: name.map { [("device", "display-name", $0)] } ?? [])
    case .pipeWire(let node):
      source = PipelineVideoSource(
        "pipewiresrc name=device do-timestamp=true keepalive-time=1000", name: "screen", width: nil, height: nil,
        framesPerSecond: framesPerSecond, timeout: .seconds(10), properties: [("device", "path", "\(node)")])
    }
  }

  /// Opens the screen; blocks until it runs.
  ///
  /// ```swift
  /// let screen = ScreenSource()
  /// try screen.start { frame in show(frame) }
  /// ```
  ///
  /// - Throws: ``MediaError/deviceUnavailable(_:reason:)`` when there is no such screen, or it may not be watched.
  public func start(_ sink: @escaping @Sendable (VideoFrame) -> Void) throws(MediaError) {
    try start(sink) { _ in }
  }

  /// As ``start(_:)``, and reports the loss of the screen.
  ///
  /// ```swift
  /// let screen = ScreenSource()
  /// try screen.start { frame in show(frame) } onEnd: { error in print(error?.description ?? "Sharing has ended.") }
  /// ```
  public func start(
    _ sink: @escaping @Sendable (VideoFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    if screen == .display(nil), getenv("DISPLAY") == nil {
      throw .deviceUnavailable("screen", reason: "no X display is set (DISPLAY is empty).")
    }
    try GStreamer.load()
    switch screen {
    case .display: try GStreamer.require("ximagesrc", package: "gstreamer1.0-plugins-good")
    case .pipeWire: try GStreamer.require("pipewiresrc", package: "gstreamer1.0-pipewire")
    }
    try source.start(sink, onEnd: onEnd)
  }

  /// Gives the screen back.
  ///
  /// ```swift
  /// let screen = ScreenSource()
  /// try screen.start { frame in show(frame) }
  /// screen.stop()
  /// ```
  public func stop() { source.stop() }
}
