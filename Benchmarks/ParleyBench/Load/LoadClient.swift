import Basics
import RTC
import Transport

/// One participant of the load: publishes what its plan says and receives everything else.
final class LoadClient {
  struct Plan: Sendable {
    var kind: MediaKind
    /// The packets that it publishes; nil for none.
    var trace: PacketTrace?
    /// The level that its voice claims, in −dBov.
    var level: UInt8 = 30
    /// How many streams it receives.
    var slots = 0
  }

  /// A track as signalling names it.
  struct Track: Sendable {
    var mid: String
    var source: String
  }

  let socket: UDPSocket
  let peer: PeerConnection
  private(set) var tracks: [Track] = []
  var measurement = Measurement()
  /// When it was made, and when it had keys and a path.
  let began = MonotonicClock.now
  private(set) var connectedAt: Instant?

  private var publications: [LoadPublication] = []
  private var streams: [LoadStream] = []
  private var feedback = TransportFeedbackRecorder(interval: .milliseconds(50))
  private var transportSequence = SequenceNumber(rawValue: 0)
  private var nextReport = Instant.zero
  private var nextKeyframeRequest = Instant.zero
  private let reporter = SSRC(rawValue: UInt32.random(in: 1...UInt32.max))
  private var scratch = [UInt8](repeating: 0, count: 2_048)
  private(set) var nextSend = Instant.distantFuture

  var streamCount: Int { streams.count }

  /// A client with a socket of its own at `address`.
  /// - Parameter coalesces: Whether the kernel may hand it several packets in one buffer (GRO), which browsers do not
  ///   use.
  init(_ plan: Plan, at address: IPAddress, coalesces: Bool, dtls: DTLSContext) throws {
    socket = try UDPSocket(
      bind: TransportAddress(ip: address, port: 0), bufferSize: 1 << 20, coalesce: coalesces)
    peer = PeerConnection(
      .client,
      configuration: PeerConnectionConfiguration(
        dtls: dtls, sockets: [.init(address: socket.localAddress)], codecs: [.opus, .vp8]))
    if let trace = plan.trace {
      let mid = peer.addTrack(plan.kind)
      tracks.append(Track(mid: mid.rawValue, source: plan.kind == .audio ? "microphone" : "camera"))
      publications.append(LoadPublication(mid: mid, kind: plan.kind, trace: trace, level: plan.level))
    }
    for _ in 0..<plan.slots { _ = peer.addSlot(plan.kind) }
  }

  func close() {
    peer.close()
    drain(MonotonicClock.now)
  }

  // MARK: Receiving

  func receive(_ slab: ReceiveSlab) {
    var more = true
    while more {
      more = socket.receive(into: slab) { datagram, remote, local in
        let now = MonotonicClock.now
        let path = IcePath(transport: .udp, local: socket.localAddress, remote: remote)
        switch peer.receive(&datagram, path: path, now: now) {
        case .rtp(let header, let length): take(header, datagram.span, length, now)
        case .rtcp(let length): takeReports(datagram.span, length)
        case .handled: drain(now)
        case .dropped: break
        }
      }
    }
  }

  private func take(_ header: RTPHeader, _ datagram: Span<UInt8>, _ length: Int, _ now: Instant) {
    if let id = transportSequenceID, let range = header.element(id: id, in: datagram),
      let number = TransportSequenceNumber.parse(datagram, at: range)
    {
      feedback.receive(number, now: now)
    }
    var index = 0
    while index < streams.count, streams[index].ssrc != header.ssrc { index += 1 }
    if index == streams.count {
      guard let media = peer.media.first(where: { $0.remoteSources.contains { $0.ssrc == header.ssrc } }) else {
        if peer.media.contains(where: { $0.remoteSources.contains { $0.rtxSSRC == header.ssrc } }) {
          measurement.retransmissions += 1
        }
        return
      }
      streams.append(LoadStream(ssrc: header.ssrc, kind: media.kind))
    }
    streams[index].take(header, datagram, now, &measurement)
  }

  private lazy var transportSequenceID: UInt8? = peer.media.lazy.compactMap { $0.extensions[.transportSequenceNumber] }
    .first

  private func takeReports(_ datagram: Span<UInt8>, _ length: Int) {
    var reader = RTCPReader()
    while let message = try? reader.next(in: datagram.extracting(0..<length)) {
      if case .pli(let pli) = message {
        for publication in publications where publication.ssrc == pli.mediaSSRC { publication.wantsKeyframe = true }
      } else if case .fir = message {
        for publication in publications { publication.wantsKeyframe = true }
      }
    }
  }

  // MARK: Sending

  func startPublishing(_ now: Instant) {
    for publication in publications {
      publication.start(peer, now)
      nextSend = min(nextSend, publication.nextTime)
    }
  }

  /// Sends every packet whose time has come, each with a send of its own, as browsers do.
  func sendDue(_ now: Instant) {
    guard let path = peer.selectedPath, let sender = peer.srtpSender else {
      nextSend = now + .milliseconds(10)
      return
    }
    nextSend = .distantFuture
    for publication in publications {
      while publication.nextTime <= now {
        transportSequence = transportSequence.advanced(by: 1)
        let sent = withScratch { output in
          guard let length = publication.write(sender, transportSequence, into: &output) else { return false }
          return socket.send(output.span.extracting(0..<length), to: path.remote, from: nil) == .sent
        }
        if sent { measurement.sent += 1 }
      }
      nextSend = min(nextSend, publication.nextTime)
    }
  }

  /// Timers of the connection, feedback every 50 ms, and reports every second.
  func keepHouse(_ now: Instant) {
    if peer.deadline <= now {
      peer.handleTimeout(now: now)
      drain(now)
    }
    guard let path = peer.selectedPath, let sender = peer.srtpSender, !streams.isEmpty else { return }
    while feedback.deadline <= now {
      var writer = RTCPWriter()
      let written = withScratch { buffer in
        feedback.appendFeedback(to: &writer, sender: reporter, media: streams[0].ssrc, now: now, into: &buffer)
      }
      guard written else { break }
      send(writer.length, sender, path)
    }
    guard nextReport <= now else { return }
    nextReport = now + .seconds(1)
    var index = 0
    while index < streams.count {
      var blocks: [ReportBlock] = []
      while index < streams.count, blocks.count < 31 {
        if let block = streams[index].statistics.makeReportBlock(now: now) { blocks.append(block) }
        index += 1
      }
      var writer = RTCPWriter()
      let written = withScratch { buffer in
        (try? writer.append(receiverReportFrom: reporter, blocks: blocks.span, into: &buffer)) != nil
      }
      guard written else { return }
      send(writer.length, sender, path)
    }
  }

  private func send(_ length: Int, _ sender: SRTPSender, _ path: IcePath) {
    withScratch { buffer in
      guard let total = try? sender.protectRTCP(&buffer, length: length) else { return }
      socket.send(buffer.span.extracting(0..<total), to: path.remote, from: nil)
    }
  }

  /// A class's stored array cannot lend a span beyond one expression, so it lends one for the length of a closure.
  private func withScratch<R>(_ body: (inout MutableSpan<UInt8>) -> R) -> R {
    scratch.withUnsafeMutableBufferPointer { bytes in
      var span = bytes.mutableSpan
      return body(&span)
    }
  }

  func drain(_ now: Instant) {
    while let datagram = peer.pollTransmit() {
      let bytes = datagram.bytes
      socket.send(bytes.span, to: datagram.path.remote, from: nil)
    }
    while peer.pollEvent() != nil {}
    if connectedAt == nil, peer.isConnected, peer.selectedPath != nil { connectedAt = MonotonicClock.now }
  }
}
