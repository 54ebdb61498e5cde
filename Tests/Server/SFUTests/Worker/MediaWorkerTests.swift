import Basics
import Foundation
import Glibc
import TestSupport
import Testing
import Transport

@testable import RTC
@testable import SFU

/// Clients on loopback sockets against a real worker: the whole path from SDP to decrypted packets.
@Suite("Media worker", .serialized)
struct MediaWorkerTests {
  private static func context() throws -> DTLSContext {
    try DTLSContext(certificate: .selfSigned(unixTime: Int64(Date().timeIntervalSince1970)))
  }

  /// Pumps clients until `condition` says nil; the sentence says what is still missing.
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

  private func join(
    _ client: LoopbackClient, _ name: String, _ worker: MediaWorkerPool, tracks: [MID], publications: [String]
  ) async throws -> OfferAnswer {
    let offer = try client.peer.createOffer()
    let answer = try await worker.join(
      ParticipantID(rawValue: name), meeting: MeetingID(rawValue: "m"), offer: offer,
      tracks: zip(tracks, publications).map {
        TrackOffer(mid: $0, publication: PublicationID(rawValue: $1), isMuted: false)
      })
    try client.peer.setAnswer(answer.sdp, now: MonotonicClock.now)
    return answer
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

  @Test("a worker released without a word ends its thread, and calls nothing more")
  func letGo() async throws {
    func threads() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { thread in
        let name = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
        return name == "media-let-go\n"
      }
    }
    var worker: MediaWorker? = try MediaWorker(
      name: "media-let-go", configuration: MediaWorkerConfiguration(dtls: Self.context()))
    _ = try await worker?.start()
    #expect(try threads() == 1)
    worker = nil
    try await wait([]) { try threads() == 0 ? nil : "the thread goes on" }
  }

  @Test("threat 33: no section carries the other kind of track, in any offer")
  func kinds() async throws {
    let dtls = try Self.context()
    let pool = try MediaWorkerPool(count: 1, configuration: MediaWorkerConfiguration(dtls: dtls))
    try await pool.start()
    let (client, id) = (try LoopbackClient(dtls: dtls), ParticipantID(rawValue: "p"))
    let (sound, picture) = (client.peer.addTrack(.audio), client.peer.addTrack(.video))
    func track(_ mid: MID, _ kind: MediaKind) -> TrackOffer {
      TrackOffer(
        mid: mid, publication: PublicationID(rawValue: "\(mid.rawValue) \(kind)"), isMuted: false, kind: kind)
    }
    var answer = try await pool.join(
      id, meeting: MeetingID(rawValue: "m"), offer: try client.peer.createOffer(),
      tracks: [track(sound, .video), track(picture, .audio)])
    #expect(answer.accepted.isEmpty)
    for (kind, accepted) in [(MediaKind.audio, [sound, picture]), (.video, [picture])] {
      try client.peer.setAnswer(answer.sdp, now: MonotonicClock.now)
      answer = try await pool.offer(
        id, offer: try client.peer.createOffer(), tracks: [track(sound, kind), track(picture, .video)])
      #expect(Set(answer.accepted.keys) == Set(accepted))
    }
    await pool.leave(id)
    await pool.close(meeting: MeetingID(rawValue: "m"))
    await pool.shutdown()
  }

  @Test("two clients connect over ICE and DTLS, and receive each other's audio and video")
  func twoClients() async throws {
    let dtls = try Self.context()
    let pool = try MediaWorkerPool(count: 2, configuration: MediaWorkerConfiguration(dtls: dtls))
    try await pool.start()
    let events = await pool.events(of: MeetingID(rawValue: "m"))
    let connected = Task { () -> Set<String> in
      var names: Set<String> = []
      for await event in events {
        if case .connected(let id) = event { names.insert(id.rawValue) }
        if names.count == 2 { break }
      }
      return names
    }
    let clients = try [LoopbackClient(dtls: dtls), LoopbackClient(dtls: dtls)]
    var tracks: [[MID]] = []
    var slots: [[MID]] = []
    for (index, client) in clients.enumerated() {
      let own = [client.peer.addTrack(.audio), client.peer.addTrack(.video)]
      let receive = [client.peer.addSlot(.audio), client.peer.addSlot(.video)]
      tracks.append(own)
      slots.append(receive)
      let answer = try await join(client, "p\(index)", pool, tracks: own, publications: ["a\(index)", "v\(index)"])
      #expect(Set(answer.accepted.keys) == Set(own))
      #expect(answer.slots.map(\.mid) == receive)
    }
    for index in 0..<2 {
      let refused = await pool.assign(
        [
          SlotChange(mid: slots[index][0], publication: PublicationID(rawValue: "a\(1 - index)")),
          SlotChange(mid: slots[index][1], publication: PublicationID(rawValue: "v\(1 - index)")),
        ], of: ParticipantID(rawValue: "p\(index)"))
      #expect(refused.isEmpty)
    }
    try await wait(clients) {
      clients.allSatisfy(\.isConnected) ? nil : "the clients are not connected: \(clients.map(\.events))"
    }
    #expect(await connected.value == ["p0", "p1"])

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
        if client.transportFeedbacks == 0 { return "client \(index) got no transport-wide feedback" }
      }
      return nil
    }
    let statistics = await pool.statistics()
    #expect(statistics.map(\.participants).reduce(0, +) == 2)
    #expect(statistics.map(\.routing.packetsForwarded).reduce(0, +) >= 400)
    for index in 0..<2 { await pool.leave(ParticipantID(rawValue: "p\(index)")) }
    await pool.close(meeting: MeetingID(rawValue: "m"))
    #expect(await pool.statistics().map(\.participants).reduce(0, +) == 0)
    await pool.shutdown()
  }

  @Test(
    "media goes on both ways after a second DTLS handshake (RFC 5764, RFC 8842)"
  )
  func anotherHandshake() async throws {
    let dtls = try Self.context()
    let pool = try MediaWorkerPool(count: 1, configuration: MediaWorkerConfiguration(dtls: dtls))
    try await pool.start()
    let clients = try [LoopbackClient(dtls: dtls), LoopbackClient(dtls: dtls)]
    let tracks = clients.map { $0.peer.addTrack(.video) }
    let slots = clients.map { $0.peer.addSlot(.video) }
    for index in 0..<2 {
      _ = try await join(clients[index], "p\(index)", pool, tracks: [tracks[index]], publications: ["v\(index)"])
    }
    for index in 0..<2 {
      _ = await pool.assign(
        [SlotChange(mid: slots[index], publication: PublicationID(rawValue: "v\(1 - index)"))],
        of: ParticipantID(rawValue: "p\(index)"))
    }
    var frame = 0
    /// Waits until each has a hundred packets more that it could decrypt.
    func flows(_ moment: String) async throws {
      let before = clients.map { $0.received.values.reduce(0, +) }
      try await wait(clients) {
        frame += 1
        for (client, track) in zip(clients, tracks) {
          client.send(track, payload: self.vp8(frame, keyframe: frame % 20 == 1), timestamp: UInt32(frame * 90))
        }
        let more = zip(clients, before).map { $0.received.values.reduce(0, +) - $1 }
        return more.allSatisfy { $0 >= 100 } ? nil : "\(moment): \(more) packets"
      }
    }
    try await wait(clients) {
      clients.allSatisfy(\.isConnected) ? nil : "not connected: \(clients.map(\.events))"
    }
    try await flows("before")
    for round in 1...2 {
      try clients[1].restartDTLS()
      try await wait(clients) {
        let handshakes = clients[1].events.count { $0 == .connected }
        return handshakes == round + 1 ? nil : "\(handshakes) handshakes: \(clients[1].events)"
      }
      try await flows("after handshake \(round + 1)")
    }
    await pool.shutdown()
  }

  @Test("a client without UDP uses TCP, and its end is noticed (RFC 6544, RFC 4571)")
  func tcp() async throws {
    let dtls = try Self.context()
    let pool = try MediaWorkerPool(
      count: 1,
      configuration: MediaWorkerConfiguration(
        dtls: dtls, addresses: MediaAddressPolicy(hosts: [IPAddress(v4: 0x7F00_0001)])))
    try await pool.start()
    let sender = try LoopbackClient(dtls: dtls)
    let receiver = try LoopbackClient(dtls: dtls, usesUDP: false)
    let track = sender.peer.addTrack(.video)
    let own = receiver.peer.addTrack(.video)
    let slot = receiver.peer.addSlot(.video)
    let back = sender.peer.addSlot(.video)
    _ = try await join(sender, "s", pool, tracks: [track], publications: ["v"])
    _ = try await join(receiver, "r", pool, tracks: [own], publications: ["w"])
    try receiver.connectStream()
    _ = await pool.assign(
      [SlotChange(mid: slot, publication: PublicationID(rawValue: "v"))], of: ParticipantID(rawValue: "r"))
    _ = await pool.assign(
      [SlotChange(mid: back, publication: PublicationID(rawValue: "w"))], of: ParticipantID(rawValue: "s"))
    try await wait([sender, receiver]) {
      sender.isConnected && receiver.isConnected ? nil : "not connected: \(receiver.events)"
    }
    #expect(receiver.peer.selectedPath?.transport == .tcp)
    var frame = 0
    try await wait([sender, receiver]) {
      frame += 1
      for (client, mid) in [(sender, track), (receiver, own)] {
        client.send(mid, payload: self.vp8(frame, keyframe: frame % 20 == 1), timestamp: UInt32(frame * 90))
      }
      let down = receiver.received.values.max() ?? 0
      let up = sender.received.values.max() ?? 0
      return down >= 100 && up >= 100 ? nil : "\(down) packets down, \(up) up over TCP"
    }
    receiver.closeStream()
    let before = await pool.statistics()[0].routing.packetsForwarded
    for number in 0..<20 {
      sender.pump()
      sender.send(track, payload: self.vp8(frame + number, keyframe: true), timestamp: UInt32((frame + number) * 90))
    }
    #expect(await pool.statistics()[0].routing.packetsForwarded >= before)
    await pool.shutdown()
  }

  @Test("threat 38: too many silent TCP connections keep no client of the address out")
  func silentStreams() async throws {
    let dtls = try Self.context()
    let pool = try MediaWorkerPool(
      count: 1,
      configuration: MediaWorkerConfiguration(
        dtls: dtls, addresses: MediaAddressPolicy(hosts: [IPAddress(v4: 0x7F00_0001)])))
    try await pool.start()
    let client = try LoopbackClient(dtls: dtls, usesUDP: false)
    let track = client.peer.addTrack(.video)
    _ = try await join(client, "p", pool, tracks: [track], publications: ["v"])
    let silent = try client.openSilentStreams(300)
    defer { for each in silent { Glibc.close(each) } }
    try client.connectStream()
    try await wait([client]) { client.isConnected ? nil : "not connected: \(client.events)" }
    // The oldest have given way, and the client, which has proven itself, does not.
    var byte: UInt8 = 0
    #expect(recv(silent[0], &byte, 1, Int32(MSG_DONTWAIT)) == 0)
    let more = try client.openSilentStreams(300)
    defer { for each in more { Glibc.close(each) } }
    try await wait([client]) { recv(more[0], &byte, 1, Int32(MSG_DONTWAIT)) == 0 ? nil : "the oldest is still there" }
    #expect(client.isConnected && client.peer.selectedPath?.transport == .tcp)
    client.closeStream()
    await pool.shutdown()
  }

  @Test("threat 9: media from an address without a check reaches nobody, leaves nothing")
  func unprovenAddress() async throws {
    let dtls = try Self.context()
    let pool = try MediaWorkerPool(count: 1, configuration: MediaWorkerConfiguration(dtls: dtls))
    try await pool.start()
    let client = try LoopbackClient(dtls: dtls)
    let track = client.peer.addTrack(.video)
    _ = try await join(client, "p0", pool, tracks: [track], publications: ["v0"])
    try await wait([client]) { client.isConnected ? nil : "not connected" }
    for first in [0x80, 0x16, 0x00, 0x01, 0xFF] as [UInt8] {
      try client.sendFromElsewhere([first] + [UInt8](repeating: 0, count: 99))
    }
    try await wait([client]) {
      let statistics = await pool.statistics()[0]
      return statistics.unknownAddress >= 5 ? nil : "\(statistics.unknownAddress) of 5 datagrams were counted"
    }
    #expect(await pool.statistics()[0].routing.packetsReceived == 0)
    await pool.shutdown()
  }

  @Test("a refused offer leaves nothing behind, and its name can join again")
  func badOffer() async throws {
    let dtls = try Self.context()
    let pool = try MediaWorkerPool(count: 1, configuration: MediaWorkerConfiguration(dtls: dtls))
    try await pool.start()
    await #expect(throws: MediaWorkerError.self) {
      _ = try await pool.join(
        ParticipantID(rawValue: "p"), meeting: MeetingID(rawValue: "m"), offer: "v=0\r\nnonsense", tracks: [])
    }
    #expect(await pool.statistics()[0].participants == 0)
    let client = try LoopbackClient(dtls: dtls)
    _ = client.peer.addSlot(.audio)
    _ = try await join(client, "p", pool, tracks: [], publications: [])
    #expect(await pool.statistics()[0].participants == 1)
    await pool.shutdown()
  }

  @Test("a port in use is an error that says so")
  func portInUse() async throws {
    let dtls = try Self.context()
    let blocker = try UDPSocket(bind: TransportAddress(ip: IPAddress(v4: 0), port: 0))
    let pool = try MediaWorkerPool(
      count: 1, configuration: MediaWorkerConfiguration(dtls: dtls, port: blocker.localAddress.port))
    await #expect(throws: TransportError.self) { try await pool.start() }
  }
}
