import Basics
import Foundation
import TestSupport
import Testing
import Transport

@testable import RTC
@testable import SFU

/// Events between the workers and a reader who comes late.
@Suite("Media events")
struct MediaEventsTests {
  private static func participant(_ number: Int) -> ParticipantID { ParticipantID(rawValue: "p\(number)") }
  private static func publication(_ number: Int) -> PublicationID { PublicationID(rawValue: "t\(number)") }
  private static func isTelemetry(_ event: MediaEvent) -> Bool {
    switch event {
    case .speakers, .quality: true
    case .connected, .lost, .publicationStarted, .codecChanged, .layersWanted, .slots, .paused: false
    }
  }

  /// Every kind of state once, each of a subject of its own.
  private static let states: [MediaEvent] = [
    .connected(participant(1)), .lost(participant(2)), .publicationStarted(publication(1)),
    .codecChanged(publication(1), NegotiatedCodec(payloadType: PayloadType(rawValue: 96), codec: .vp8)),
    .layersWanted(publication(1), LayersWanted(spatial: nil)),
    .paused(participant(1), [PausedPublication(publication(1), reason: .bandwidth)]),
    .slots([SlotUpdate(participant: participant(1), mid: MID(rawValue: "0"), publication: publication(2))]),
  ]

  /// 10,000 events that put others out of a bounded stream.
  private static func telemetry() -> [MediaEvent] {
    (0..<10_000).map { number in
      number % 2 == 0
        ? .quality(participant(number), .poor)
        : .speakers([ActiveSpeaker(participant: participant(number), level: 0.5)])
    }
  }

  private func unread(_ events: MediaEvents) async -> [MediaEvent] {
    events.finish()
    var all: [MediaEvent] = []
    for await event in events { all.append(event) }
    return all
  }

  @Test("10,000 unread telemetry events displace no state")
  func lossless() async {
    let events = MediaEvents()
    for event in Self.states { events.send(event) }
    for event in Self.telemetry() { events.send(event) }
    let all = await unread(events)
    #expect(Array(all.prefix(Self.states.count)) == Self.states)
    let telemetry = all.dropFirst(Self.states.count)
    #expect(telemetry.allSatisfy(Self.isTelemetry))
    #expect(telemetry.count == EventBacklog.maximumTelemetry)
    #expect(telemetry.contains(.quality(Self.participant(9_998), .poor)))
    #expect(telemetry.contains(.speakers([ActiveSpeaker(participant: Self.participant(9_999), level: 0.5)])))
  }

  @Test("of 10,000 unread states of three connections the newest of each is left")
  func coalesces() async {
    let events = MediaEvents()
    for number in 0..<10_000 {
      let id = Self.participant(number % 3)
      events.send(number % 2 == 0 ? .connected(id) : .lost(id))
      #expect(events.unread <= 3)
    }
    #expect(
      await unread(events)
        == [.lost(Self.participant(0)), .lost(Self.participant(1)), .connected(Self.participant(2))])
  }

  @Test("unread changes of slots come as one event with the newest of each slot")
  func slots() async {
    let events = MediaEvents()
    for number in 0..<10_000 {
      events.send(
        .slots([
          SlotUpdate(
            participant: Self.participant(0), mid: MID(rawValue: "\(number % 2)"),
            publication: Self.publication(number))
        ]))
    }
    let newest = [9_998, 9_999].map { number in
      SlotUpdate(
        participant: Self.participant(0), mid: MID(rawValue: "\(number % 2)"), publication: Self.publication(number))
    }
    #expect(await unread(events) == [.slots(newest)])
  }

  @Test("participants who come and go leave nothing unread behind")
  func departures() async {
    let events = MediaEvents()
    for number in 0..<10_000 {
      events.send(.connected(Self.participant(number)))
      events.send(.publicationStarted(Self.publication(number)))
      events.send(.quality(Self.participant(number), .good))
      events.send(
        .slots([SlotUpdate(participant: Self.participant(number), mid: MID(rawValue: "0"), publication: nil)]))
      events.removeAll(of: Self.participant(number), publications: [Self.publication(number)])
    }
    #expect(events.unread == 0)
    #expect(await unread(events).isEmpty)
  }

  @Test("a reader that keeps up gets each event, and the end")
  func keepsUp() async {
    let events = MediaEvents()
    let reader = Task {
      var all: [MediaEvent] = []
      for await event in events { all.append(event) }
      return all
    }
    for event in Self.states {
      events.send(event)
      while events.unread > 0 { await Task.yield() }
    }
    events.finish()
    #expect(await reader.value == Self.states)
  }

  @Test("a router whose events nobody polls loses no state either")
  func router() {
    let router = Router(
      clock: NTPClock(instant: .zero, time: NTPTime(unixNanoseconds: 0)), seed: 1)
    for event in Self.telemetry() { router.emit(event) }
    for event in Self.states { router.emit(event) }
    for event in Self.telemetry() { router.emit(event) }
    var states: [MediaEvent] = []
    var polled = 0
    while let event = router.pollEvent() {
      polled += 1
      if !Self.isTelemetry(event) { states.append(event) }
    }
    #expect(states == Self.states)
    #expect(polled <= Router.maximumEvents + Self.states.count + EventBacklog.maximumTelemetry)
  }

  @Test("a meeting's reader gets a connection and its loss behind 10,000 other events", .timeLimit(.minutes(5)))
  func connection() async throws {
    let dtls = try DTLSContext(certificate: .selfSigned(unixTime: Int64(Date().timeIntervalSince1970)))
    let pool = try MediaWorkerPool(count: 1, configuration: MediaWorkerConfiguration(dtls: dtls))
    try await pool.start()
    let meeting = MeetingID(rawValue: "m")
    let lasting = ParticipantID(rawValue: "lasting")
    let ending = ParticipantID(rawValue: "ending")
    let events = await pool.events(of: meeting)
    for id in [lasting, ending] {
      let client = try LoopbackClient(dtls: dtls)
      _ = client.peer.addSlot(.audio)
      let answer = try await pool.join(id, meeting: meeting, offer: client.peer.createOffer(), tracks: [])
      try client.peer.setAnswer(answer.sdp, now: MonotonicClock.now)
      try await eventually {
        client.pump()
        return client.isConnected ? nil : "the client is not connected"
      }
      if id == ending {
        client.peer.close()
        client.pump()
      }
      for event in Self.telemetry() { events.send(event) }
    }
    var newest: [ParticipantID: MediaEvent] = [:]
    for await event in events {
      switch event {
      case .connected(let id), .lost(let id): newest[id] = event
      case .publicationStarted, .codecChanged, .layersWanted, .slots, .paused, .speakers, .quality: break
      }
      if newest == [lasting: .connected(lasting), ending: .lost(ending)] { break }
    }
    #expect(newest == [lasting: .connected(lasting), ending: .lost(ending)])
    await pool.close(meeting: meeting)
    await pool.shutdown()
  }
}
