import CGStreamer
import Glibc

/// A camera, microphone or speaker.
public struct MediaDevice: Hashable, Sendable, Identifiable {
  /// What it does.
  public enum Kind: Hashable, Sendable {
    /// Gives pictures.
    case camera
    /// Gives sound.
    case microphone
    /// Takes sound.
    case speaker
  }

  /// Identifies it on this machine, as long as it stays plugged in.
  public var id: String { "\(element):\(property)=\(value)" }
  /// What people call it: "Integrated Camera".
  public let name: String
  /// What it does.
  public let kind: Kind

  /// The GStreamer element that opens it, and the property that says which one.
  let element: String
  let property: String
  let value: String
}

/// The cameras, microphones and speakers of this machine.
public enum MediaDevices {
  /// Cameras. Takes up to a second; an empty list when there are none.
  public static func cameras() throws(MediaError) -> [MediaDevice] { try list("Video/Source", .camera) }
  /// Microphones and other inputs.
  public static func microphones() throws(MediaError) -> [MediaDevice] { try list("Audio/Source", .microphone) }
  /// Speakers, headphones and other outputs.
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

/// Where the C function's findings are gathered.
private struct DeviceList {
  var kind: MediaDevice.Kind
  var devices: [MediaDevice] = []
}
