import Glibc

/// A camera of this machine.
///
/// ```swift
/// try await meeting.local.publish(LocalVideoTrack(CameraSource(width: 1280, height: 720)))
/// ```
public final class CameraSource: VideoSource {
  private let device: MediaDevice?
  private let source: PipelineVideoSource

  /// A camera. It is opened when it is started.
  ///
  /// ```swift
  /// let second = try MediaDevices.cameras().dropFirst().first
  /// let camera = CameraSource(second, width: 640, height: 360)
  /// ```
  ///
  /// - Parameters:
  ///   - device: One of ``MediaDevices/cameras()``; nil takes the first video device.
  ///   - width: The wanted size; other sizes of the camera are scaled, with borders if the shape differs.
  ///   - height: Likewise.
  ///   - framesPerSecond: Frames a second.
  public init(_ device: MediaDevice? = nil, width: Int = 1280, height: Int = 720, framesPerSecond: Int = 30) {
    self.device = device
    source = PipelineVideoSource(
      "\(device?.element ?? "v4l2src") name=device", name: device?.name ?? "camera", width: width, height: height,
      framesPerSecond: framesPerSecond, timeout: .seconds(10),
      properties: device.map { [("device", $0.property, $0.value)] } ?? [])
  }

  /// Opens the camera; blocks until it runs.
  ///
  /// ```swift
  /// let camera = CameraSource()
  /// try camera.start { frame in show(frame) }  // a look in the mirror before joining
  /// ```
  ///
  /// - Throws: ``MediaError/deviceUnavailable(_:reason:)`` when there is no camera, or another program holds it.
  public func start(_ sink: @escaping @Sendable (VideoFrame) -> Void) throws(MediaError) {
    try start(sink) { _ in }
  }

  /// As ``start(_:)``, and reports the loss of the camera.
  ///
  /// ```swift
  /// let camera = CameraSource()
  /// try camera.start { frame in show(frame) } onEnd: { error in print(error?.description ?? "Unplugged.") }
  /// ```
  public func start(
    _ sink: @escaping @Sendable (VideoFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) {
    if device == nil, access("/dev/video0", F_OK) != 0 {
      throw .deviceUnavailable("camera", reason: "this machine has no camera (there is no /dev/video0).")
    }
    try GStreamer.load()
    try GStreamer.require(device?.element ?? "v4l2src", package: "gstreamer1.0-plugins-good gstreamer1.0-pipewire")
    try source.start(sink, onEnd: onEnd)
  }

  /// Gives the camera back.
  ///
  /// ```swift
  /// let camera = CameraSource()
  /// try camera.start { frame in show(frame) }
  /// camera.stop()
  /// ```
  public func stop() { source.stop() }
}
