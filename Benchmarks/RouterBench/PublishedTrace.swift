import Foundation

/// The packets of a recorded camera: when each was sent and how long it was.
struct PublishedTrace {
  struct Packet {
    var microseconds: Int
    var size: Int
    var marker: Bool
    var timestamp: UInt32
  }

  var packets: [Packet] = []

  /// Reads `time_us,payload_size,marker,timestamp,keyframe` lines after a header line; others are left out.
  init(contentsOf file: URL) throws {
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst() {
      let fields = line.split(separator: ",").compactMap { Int($0) }
      guard fields.count == 5 else { continue }
      packets.append(
        Packet(
          microseconds: fields[0], size: max(fields[1], 16), marker: fields[2] != 0,
          timestamp: UInt32(truncatingIfNeeded: fields[3])))
    }
  }
}
