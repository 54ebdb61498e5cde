import CGStreamer
import Glibc

/// A camera, microphone or speaker.
///
/// ```swift
/// for camera in try MediaDevices.cameras() { print(camera.name) }
/// ```
public struct MediaDevice: Hashable, Sendable, Identifiable {
  /// The kind of a device.
  ///
  /// ```swift
  /// func symbol(_ kind: MediaDevice.Kind) -> String {
  ///   switch kind {
  ///   case .camera: "📷"
  ///   case .microphone: "🎤"
  ///   case .speaker: "🔊"
  ///   }
  /// }
  /// ```
  public enum Kind: Hashable, Sendable {
    case camera
    case microphone
    case speaker
  }

  /// Identifies it on this machine, as long as it stays plugged in.
  ///
  /// ```swift
  /// let chosen = text  // what the settings remember
  /// let camera = try MediaDevices.cameras().first { $0.id == chosen }
  /// ```
  public var id: String { "\(element):\(property)=\(value)" }

  /// The name for people: "Integrated Camera".
  ///
  /// ```swift
  /// let menu = try MediaDevices.speakers().map(\.name)
  /// ```
  public let name: String

  /// ```swift
  /// let all = try MediaDevices.cameras() + MediaDevices.microphones()
  /// let cameras = all.filter { $0.kind == .camera }
  /// ```
  public let kind: Kind

  /// The GStreamer element that opens it, and the property that says which one.
  let element: String
  let property: String
  let value: String
}

/// The cameras, microphones and speakers of this machine.
///
/// ```swift
/// let camera = CameraSource(try MediaDevices.cameras().last)
/// let microphone = MicrophoneSource(try MediaDevices.microphones().last)
/// ```
public enum MediaDevices {
  /// Cameras. Takes up to a second; an empty list when there are none.
  ///
  /// ```swift
  /// for camera in try MediaDevices.cameras() { print(camera.name) }
  /// ```
  public static func cameras() throws(MediaError) -> [MediaDevice] { try list("Video/Source", .camera) }

  /// Microphones and other inputs.
  ///
  /// ```swift
  /// for microphone in try MediaDevices.microphones() { print(microphone.name) }
  /// ```
  public static func microphones() throws(MediaError) -> [MediaDevice] { try list("Audio/Source", .microphone) }

  /// Speakers, headphones and other outputs.
  ///
  /// ```swift
  /// for speaker in try MediaDevices.speakers() { print(speaker.name) }
  /// ```
  public static func speakers() throws(MediaError) -> [MediaDevice] { try list("Audio/Sink", .speaker) }

  private static func list(_ deviceClass: String, _ kind: MediaDevice.Kind) throws(MediaError) -> [MediaDevice] {
    try GStreamer.load()
    var list = DeviceList(kind: kind)
    withUnsafeMutablePointer(to: &list) { list in
      parley_gst_devices(deviceClass, list) { context, name, element, property, value in
        guard let context, let name, let element, let property, let value else { return }
        let list = context.assumingMemoryBound(to: DeviceList.self)
        list.pointee.devices.append(
          MediaDevice(
            name: String(cString: name), kind: list.pointee.kind, element: String(cString: element),
            property: String(cString: property), value: String(cString: value)))
      }
    }
    var seen: Set<String> = []
    return list.devices.filter { seen.insert($0.id).inserted }
  }
}

/// Collects the C function's results.
private struct DeviceList {
  var kind: MediaDevice.Kind
  var devices: [MediaDevice] = []
}
