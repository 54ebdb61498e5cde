/// Why media could not be opened, encoded, decoded or played. ``description`` is for people: what happened and what to
/// do.
///
/// ```swift
/// do { try await meeting.local.publish(LocalVideoTrack(CameraSource())) } catch let error as MediaError {
///   switch error {
///   case .deviceUnavailable, .missingComponent: print("No camera: \(error)")
///   case .cannotOpen, .cannotWrite, .notMedia, .invalid: print("Choose something else: \(error)")
///   case .encoderFailed, .decoderFailed: print("Try again: \(error)")
///   }
/// }
/// ```
public enum MediaError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A file or URL cannot be read at all.
  case cannotOpen(String, reason: String)
  /// A file cannot be written, or not any further: its folder is missing, its disk is full.
  case cannotWrite(String, reason: String)
  /// A file was read but holds no audio or video that can be decoded.
  case notMedia(String, reason: String)
  /// A device does not exist, is in use or may not be used.
  case deviceUnavailable(String, reason: String)
  /// A library or plugin that is needed is not installed.
  case missingComponent(String, hint: String)
  /// An encoder could not be set up or gave up.
  case encoderFailed(String, reason: String)
  /// A decoder could not be set up, or a frame is not decodable.
  case decoderFailed(String, reason: String)
  /// A parameter is out of range.
  case invalid(String)

  /// ```swift
  /// do { _ = try FileSource("film.webm") } catch { print(error.description) }
  /// ```
  public var description: String {
    switch self {
    case .cannotOpen(let what, let reason): "\(what) cannot be opened: \(reason)"
    case .cannotWrite(let what, let reason): "\(what) cannot be written: \(reason)"
    case .notMedia(let what, let reason): "\(what) holds no audio or video that can be played: \(reason)"
    case .deviceUnavailable(let what, let reason): "The device \(what) cannot be used: \(reason)"
    case .missingComponent(let what, let hint): "\(what) is not installed. \(hint)"
    case .encoderFailed(let what, let reason): "The \(what) encoder failed: \(reason)"
    case .decoderFailed(let what, let reason): "The \(what) decoder failed: \(reason)"
    case .invalid(let what): what
    }
  }
}
