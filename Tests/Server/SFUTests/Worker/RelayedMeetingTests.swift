import Basics
import Foundation
import TestSupport
import Testing
import Transport

@testable import RTC
@testable import SFU

/// One meeting on two real workers: two threads, two ports, rings between them, clients on loopback sockets.
@Suite("Relayed meeting", .serialized)
struct RelayedMeetingTests {
  private func wait(
    _ clients: [LoopbackClient], until condition: () async throws -> String?
  ) async throws {
    let end = ContinuousClock.now + waitingLimit
    while true {
      for client in clients { client.pump() }
      guard let missing = try await condition() else { return }
      if ContinuousClock.now > end {
        Issue.record("still missing after \(waitingLimit): \(missing)")
        throw CancellationError()
      }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  private func vp8(_ number: Int, keyframe: Bool) -> [UInt8] {
    var payload = [UInt8](repeating: 1, count: 900)
    payload[0] = 0x90
    payload[1] = 0x80
    payload[2] = 0x80 | UInt8(number >> 8 & 0x7F)
    payload[3] = UInt8(number & 0xFF)
    payload[4] = keyframe ? 0x10 : 0x11
    return payload
  }

  @Test("a worker with records for a full ring rests until it is read, then writes them")
  func fullRing() async throws {
    let dtls = try DTLSContext(certificate: .selfSigned(unixTime: Int64(Date().timeIntervalSince1970)))
    let writer = try MediaWorker(name: "writer", configuration: MediaWorkerConfiguration(dtls: dtls))
    let reader = try MediaWorker(name: "reader", configuration: MediaWorkerConfiguration(dtls: dtls))
    try await writer.start()
    try await reader.start()
    let wire = try WorkerWire(capacity: 4_096)
    try await writer.connect(to: 1, over: wire)
    // Each of them says that it is there: so many records do not fit.
    let meetings = 600
    for number in 0..<meetings {
      await writer.openRelay(of: MeetingID(rawValue: "m\(number)"), channel: UInt32(number), to: 1)
    }
    #expect(await writer.statistics().relays.messages < 200)
    // Measured: the turns in some time in which there is nothing to do.
    let before = await writer.turns
    try await Task.sleep(for: .milliseconds(100))
    let turns = await writer.turns - before
    #expect(turns < 50, "\(turns) turns in a tenth of a second")
    try await reader.connect(to: 0, over: wire.reversed)
    try await wait([]) {
      let written = await writer.statistics().relays.messages
      return written == UInt64(meetings) ? nil : "\(written) of \(meetings) records are written"
    }
    await writer.shutdown()
    await reader.shutdown()
    writer.loop.stop()
    reader.loop.stop()
  }

  @Test("participants on two workers get each other's audio, video and data messages")
  func twoWorkers() async throws {
    let dtls = try DTLSContext(certificate: .selfSigned(unixTime: Int64(Date().timeIntervalSince1970)))
    var configuration = MediaWorkerConfiguration(dtls: dtls)
    configuration.meetingSpread = 2
    let pool = try MediaWorkerPool(count: 2, configuration: configuration)
    try await pool.start()
    let meeting = MeetingID(rawValue: "m")
    let events = await pool.events(of: meeting)
    let seen = Task { () -> (connected: Set<String>, speakers: Set<String>) in
      var connected: Set<String> = []
      var speakers: Set<String> = []
      for await event in events {
        if case .connected(let id) = event { connected.insert(id.rawValue) }
        if case .speakers(let list) = event { speakers.formUnion(list.map(\.participant.rawValue)) }
        if connected.count == 4, speakers.count == 4 { break }
      }
      return (connected, speakers)
    }
    let clients = try (0..<4).map { _ in try LoopbackClient(dtls: dtls) }
    var tracks: [[MID]] = []
    var slots: [[MID]] = []
    for (index, client) in clients.enumerated() {
      let own = [client.peer.addTrack(.audio), client.peer.addTrack(.video)]
      let receive = (0..<3).flatMap { _ in [client.peer.addSlot(.audio), client.peer.addSlot(.video)] }
      tracks.append(own)
      slots.append(receive)
      let answer = try await pool.join(
        ParticipantID(rawValue: "p\(index)"), meeting: meeting, offer: try client.peer.createOffer(),
        tracks: [
          TrackOffer(mid: own[0], publication: PublicationID(rawValue: "a\(index)"), isMuted: false),
          TrackOffer(mid: own[1], publication: PublicationID(rawValue: "v\(index)"), isMuted: false),
        ])
      try client.peer.setAnswer(answer.sdp, now: MonotonicClock.now)
    }
    #expect(await pool.statistics().map(\.participants) == [2, 2])
    for index in 0..<4 {
      let others = (0..<4).filter { $0 != index }
      let changes = others.enumerated().flatMap { place, other in
        [
          SlotChange(mid: slots[index][place * 2], publication: PublicationID(rawValue: "a\(other)")),
          SlotChange(mid: slots[index][place * 2 + 1], publication: PublicationID(rawValue: "v\(other)")),
        ]
      }
      let refused = await pool.assign(changes, of: ParticipantID(rawValue: "p\(index)"))
      #expect(refused.isEmpty)
    }
    try await wait(clients) {
      clients.allSatisfy(\.isConnected) ? nil : "the clients are not connected"
    }
    var frame = 0
    try await wait(clients) {
      frame += 1
      for (index, client) in clients.enumerated() {
        client.send(
          tracks[index][1], payload: self.vp8(frame, keyframe: frame % 20 == 1), timestamp: UInt32(frame * 90))
        client.send(tracks[index][0], payload: [UInt8](repeating: 5, count: 100), timestamp: UInt32(frame * 48))
      }
      for (index, client) in clients.enumerated() {
        for slot in slots[index] {
          let ssrc = client.peer.media.first { $0.mid == slot }?.remoteSources.first?.ssrc.rawValue ?? 0
          if client.received[ssrc, default: 0] < 100 {
            return "client \(index) has \(client.received[ssrc, default: 0]) packets in slot \(slot)"
          }
        }
      }
      return nil
    }
    let result = await seen.value
    #expect(result.connected.count == 4)
    #expect(result.speakers.count == 4)
    let statistics = await pool.statistics()
    for worker in statistics {
      #expect(worker.relays.packets > 300)
      #expect(worker.relays.packetsDropped == 0)
      // Two publishers with two tracks here; each packet crossed once, however many receive it.
      #expect(worker.routing.packetsRelayedOut <= worker.routing.packetsReceived)
    }
    for index in 0..<4 { await pool.leave(ParticipantID(rawValue: "p\(index)")) }
    await pool.close(meeting: meeting)
    #expect(await pool.statistics().map(\.meetings) == [0, 0])
    await pool.shutdown()
  }
}

extension MediaWorker {
  /// How often its loop has turned.
  fileprivate var turns: UInt64 { loop.tickCount }
}
