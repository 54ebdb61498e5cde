package import Media

/// A source of video that an app brings along, in place of the machine's camera. ``LocalCapture`` starts and stops it
/// on one queue.
package protocol VideoCapturer: VideoSource {
  /// Whether sharp frames matter more than smooth motion; nil when the kind of stream decides.
  var prefersDetail: Bool? { get }
}

/// The direction in which a camera looks.
package enum CameraPosition: Sendable {
  case unspecified
  /// Away from the person who holds the device.
  case back
  /// At the person who holds the device.
  case front
}
