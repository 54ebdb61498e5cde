import Basics
import Foundation

/// A recording of a browser: sizes and spacing of the packets of one stream, made by `Benchmarks/record-trace.py`.
///
/// A trace is replayed in a loop, so that a load looks like a browser's and not like a metronome.
struct PacketTrace {
  struct Packet {
    /// When it was sent, after the trace's start.
    var time: TimeSpan
    /// RTP payload in bytes, before encryption.
    var payloadSize: Int
    /// The last packet of a frame.
    var marker: Bool
    /// RTP timestamp after the trace's first.
    var timestamp: UInt32
    /// The first packet of a key frame.
    var keyframe: Bool
  }

  var packets: [Packet]
  /// Length of one round.
  var duration: TimeSpan
  /// How far the RTP timestamp moves in one round.
  var timestampSpan: UInt32

  struct Malformed: Error, CustomStringConvertible {
    var description: String
  }

  /// Reads `time_us,payload_size,marker,timestamp,keyframe` lines after a header line.
  init(contentsOf file: URL, clockRate: Int) throws {
    packets = []
    for (number, line) in try String(contentsOf: file, encoding: .utf8).split(separator: "\n").enumerated().dropFirst()
    {
      let fields = line.split(separator: ",").compactMap { Int64($0) }
      guard fields.count == 5 else {
        throw Malformed(
          description: "\(file.lastPathComponent):\(number + 1): expected five whole numbers, got '\(line)'")
      }
      packets.append(
        Packet(
          time: .microseconds(fields[0]), payloadSize: Int(fields[1]), marker: fields[2] != 0,
          timestamp: UInt32(truncatingIfNeeded: fields[3]), keyframe: fields[4] != 0))
    }
    guard let last = packets.last, packets.count > 1 else {
      throw Malformed(description: "\(file.lastPathComponent): no packets")
    }
    let frames = Set(packets.map(\.timestamp)).count
    duration = TimeSpan(nanoseconds: last.time.nanoseconds * Int64(frames) / Int64(max(frames - 1, 1)))
    timestampSpan = UInt32(Int64(clockRate) * duration.nanoseconds / 1_000_000_000)
  }

  /// Payload bits per second.
  var rate: DataRate {
    DataRate(bitsPerSecond: Int64(packets.reduce(0) { $0 + $1.payloadSize } * 8) * 1_000_000_000 / duration.nanoseconds)
  }
}
