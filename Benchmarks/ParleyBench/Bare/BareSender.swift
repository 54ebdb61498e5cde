import Basics
import Foundation
import RTC
import Transport

/// The lower bound that forwarding is measured against: a process that only encrypts and sends.
///
/// It replays a trace to a number of receivers, as a server would after everything else it does: for each receiver it
/// writes a header, encrypts the shared payload behind it (AES-128-GCM) and sends what has come together with UDP
/// segmentation offload. No socket is read, nothing is stored, estimated, reported or routed. Bursts are as long as the
/// measured server's.
struct BareSender {
  private struct Receiver {
    var sender: SRTPSender
    var remote: TransportAddress
  }

  private struct Packet {
    /// With padding, once the burst is known.
    var size: Int
    var isPadded = false
    var timestamp: UInt32
    var marker: Bool
    var payload: [UInt8]
  }

  private let trace: PacketTrace
  private let kind: MediaKind
  private let burst: Double
  private let socket: UDPSocket
  private var receivers: [Receiver]
  private var waiting: [Packet] = []
  private var header = [UInt8](repeating: 0, count: 64)
  private var output = [UInt8](repeating: 0, count: 65_536)
  private var sequence: UInt16 = 0
  private var transportSequence: UInt16 = 0
  private static let overhead = 16
  /// As in the server: a packet is padded by so much at most to be as long as the others of its burst.
  private static let maximumPadding = 24

  /// Runs as a program of its own: `parley-bench --bare-sender KIND ADDRESS BURST`, ports on standard input, one a
  /// line, an empty line to begin. Ends with its standard input.
  static func main(_ arguments: [String]) throws {
    guard arguments.count == 3, let kind = MediaKind(rawValue: arguments[0]), let address = IPAddress(arguments[1]),
      let burst = Double(arguments[2])
    else { throw BenchOptions.Wrong(description: "usage: --bare-sender KIND ADDRESS BURST") }
    var remotes: [TransportAddress] = []
    while let line = readLine(), let port = UInt16(line) { remotes.append(TransportAddress(ip: address, port: port)) }
    var sender = try BareSender(kind, at: address, to: remotes, burst: burst)
    Thread.detachNewThread {
      while readLine() != nil {}
      exit(0)
    }
    sender.run()
  }

  private init(_ kind: MediaKind, at address: IPAddress, to remotes: [TransportAddress], burst: Double) throws {
    trace = try PacketTrace.of(kind)
    self.kind = kind
    self.burst = max(burst, 1)
    socket = try UDPSocket(bind: TransportAddress(ip: address, port: 0))
    receivers = try remotes.map { Receiver(sender: try SRTPSender(BareKeys.material), remote: $0) }
  }

  private mutating func run() {
    var roundStart = MonotonicClock.now
    var timestamp: UInt32 = 0
    // So many packets are let together that bursts have the wanted length on average.
    var credit = burst
    while true {
      for entry in trace.packets {
        let due = roundStart + entry.time
        let wait = (due - MonotonicClock.now).nanoseconds
        if wait > 0 { usleep(UInt32(clamping: wait / 1_000)) }
        waiting.append(packet(entry, timestamp))
        if Double(waiting.count) >= credit.rounded(.down) {
          credit += burst - Double(waiting.count)
          flush()
        }
      }
      roundStart = roundStart + trace.duration
      timestamp &+= trace.timestampSpan
    }
  }

  private func packet(_ entry: PacketTrace.Packet, _ timestamp: UInt32) -> Packet {
    let offset = LoadPublication.stampOffset(kind)
    let size = max(entry.payloadSize, offset + PacketStamp.length)
    var payload = [UInt8](repeating: 0x5A, count: size + Self.maximumPadding)
    PacketStamp.write(MonotonicClock.now, to: &payload, at: offset)
    return Packet(size: size, timestamp: timestamp &+ entry.timestamp, marker: entry.marker, payload: payload)
  }

  /// Encrypts what waits for each receiver and sends it in runs of one length, of which only the last may be shorter.
  private mutating func flush() {
    equalize()
    for index in receivers.indices {
      var used = 0
      var segment = 0
      for number in waiting.indices {
        let size = waiting[number].size + 20 + Self.overhead
        if segment != 0, size != segment || used + segment > 65_000 {
          if size < segment { used += write(number, for: index, at: used) }
          send(used, segment, to: receivers[index].remote)
          used = 0
          let isSent = size < segment
          segment = 0
          if isSent { continue }
        }
        used += write(number, for: index, at: used)
        if segment == 0 { segment = used }
      }
      if used > 0 { send(used, segment, to: receivers[index].remote) }
    }
    sequence &+= UInt16(truncatingIfNeeded: waiting.count)
    transportSequence &+= UInt16(truncatingIfNeeded: waiting.count)
    waiting.removeAll(keepingCapacity: true)
  }

  /// Pads each packet to the length of the next one where that is a little longer, so that they leave in one run.
  private mutating func equalize() {
    for number in waiting.indices.dropLast().reversed() {
      let missing = waiting[number + 1].size - waiting[number].size
      guard missing > 0, missing <= Self.maximumPadding else { continue }
      waiting[number].size += missing
      waiting[number].isPadded = true
      waiting[number].payload[waiting[number].size - 1] = UInt8(missing)
    }
  }

  private func send(_ length: Int, _ segment: Int, to remote: TransportAddress) {
    socket.sendSegmented(output.span.extracting(0..<length), segmentSize: segment, to: remote, from: nil)
  }

  private mutating func write(_ number: Int, for receiver: Int, at offset: Int) -> Int {
    let ordinal = UInt16(truncatingIfNeeded: number)
    return Self.write(
      waiting[number], sequence: sequence &+ ordinal, transport: transportSequence &+ ordinal,
      receivers[receiver].sender, header: &header, to: &output, at: offset)
  }

  private static func write(
    _ packet: Packet, sequence: UInt16, transport: UInt16, _ srtp: SRTPSender, header: inout [UInt8],
    to output: inout [UInt8], at offset: Int
  ) -> Int {
    var writer = RTPHeaderWriter()
    var head = header.mutableSpan
    guard
      (try? writer.begin(
        payloadType: PayloadType(rawValue: 96), marker: packet.marker,
        sequenceNumber: SequenceNumber(rawValue: sequence), timestamp: RTPTimestamp(rawValue: packet.timestamp),
        ssrc: BareKeys.ssrc, into: &head)) != nil,
      (try? writer.append(id: 3, uint16: transport, into: &head)) != nil,
      let length = try? writer.finish(into: &head)
    else { return 0 }
    if packet.isPadded { head[0] |= 0x20 }
    let payload = packet.payload
    let body = payload.span
    var all = output.mutableSpan
    var rest = all._mutatingExtracting(offset..<all.count)
    return
      (try? srtp.protectRTP(
        header: header.span.extracting(0..<length), payload: body.extracting(0..<packet.size), into: &rest)) ?? 0
  }
}
