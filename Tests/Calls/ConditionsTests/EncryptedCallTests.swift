import Basics
import Encryption
import NetworkEmulator
import RTC
import TestSeeds
import Testing

@testable import Parley

/// Whole encrypted calls in virtual time, and calls in which encryption is broken on purpose (threat 30).
@Suite(.tellsSeeds) struct EncryptedCallTests {
  private func counts(_ client: SimulatedClient) throws -> EncryptionStatistics {
    try #require(client.session.encryption).counts
  }

  /// Whether `ring` opens what the publisher seals now.
  private func opens(_ ring: KeyRing, _ call: SimulatedCall) throws -> Bool {
    let sender = try #require(call.publisher.session.encryption).keys
    let frame: [UInt8] = [7, 7, 7, 7]
    var sealed: [UInt8] = []
    try sender.seal(frame.span, codec: .opaque, track: 0, now: call.now, appendingTo: &sealed)
    var plain: [UInt8] = []
    let id = ParticipantID(rawValue: "publisher")
    try? ring.open(sealed.span, codec: .opaque, from: id, source: .microphone, now: call.now, appendingTo: &plain)
    return plain == frame
  }

  @Test("encryption costs a call at 5 % loss no quality: only lost frames are dropped")
  func loss() throws {
    let call = try SimulatedCall(.loss(0.05, atReceiver: true).encrypted.lasting(22, phase: 4..<18)).run()
    let figures = CallFigures(call)
    print(figures.row)
    #expect(figures.broken == 0)
    #expect(figures.shownShare >= 0.95)
    #expect(figures.longestFreeze <= 1)
    #expect(try #require(figures.pictureBack) <= 1)
    let (sent, received) = (try counts(call.publisher), try counts(call.receiver))
    #expect(sent.framesSealed > 1_000 && sent.framesNotSent.isEmpty, "\(sent)")
    #expect(received.framesOpened > 1_000, "\(received)")
    // Sound that came before its key.
    #expect(Set(received.framesDropped.keys).isSubset(of: [.noKey, .replayed]), "\(received)")
    #expect(received.framesDropped[.noKey, default: 0] < 20)
    #expect(call.keys.states["receiver"]?.last?.state == .encrypted)
    #expect(call.keys.states["receiver"]?.last?.safetyCode == call.keys.states["publisher"]?.last?.safetyCode)
  }

  @Test("bad input 4: the server adds no earlier sound to packets: RED is not offered")
  func withoutRedundancy() throws {
    let call = try SimulatedCall(CallConditions(name: "RED", length: .seconds(1)).encrypted)
    let offer = try call.receiver.session.createOffer(restartsIce: false).get()
    #expect(!offer.contains("red/48000"))
    let plain = try SimulatedCall(CallConditions(name: "RED", length: .seconds(1)))
    #expect(try plain.receiver.session.createOffer(restartsIce: false).get().contains("red/48000"))
  }

  @Test("bad input 9: a picture is there within 1 s after its key, however late that is")
  func lateKey() throws {
    var conditions = CallConditions(name: "late keys", length: .seconds(9)).encrypted
    conditions.seed = 11
    let call = try SimulatedCall(conditions)
    // The receiver leaves and comes back as somebody else, whose keys take three seconds.
    call.run(until: call.started + .seconds(2))
    #expect(!call.shown.isEmpty)
    let ring = try #require(call.receiver.session.encryption).keys
    call.keys.leave("receiver", now: call.now)
    call.keys.lateness = .seconds(3)
    try call.keys.join("again", ring, call.receiver.session, now: call.now)
    let before = call.shown.count
    let rejoined = call.now
    call.run(until: rejoined + .seconds(3))
    #expect(call.shown.count == before, "frames without a key were shown")
    #expect(call.keys.states["again"]?.last?.state == .waiting)
    // The key in use is then that of the leave, which was made a second after it.
    call.run(until: rejoined + .milliseconds(5_040))
    #expect(call.shown.count > before, "no picture a second after its key")
    #expect(call.broken == 0)
    #expect(call.keys.states["again"]?.last?.state == .encrypted)
  }

  @Test("a key frame that is there before its key is shown with it", arguments: [150, 400] as [Int64])
  func keyAfterFrame(lateness: Int64) throws {
    let call = try SimulatedCall(CallConditions(name: "key after frame", length: .seconds(5)).encrypted)
    call.run(until: call.started + .seconds(2))
    let encryption = try #require(call.receiver.session.encryption)
    call.keys.leave("receiver", now: call.now)
    call.keys.lateness = .milliseconds(lateness)
    try call.keys.join("again", encryption.keys, call.receiver.session, now: call.now)
    let before = call.shown.count
    // The announcement takes as long as an envelope does without the lateness.
    let keyAt = call.now + SimulatedKeys.delay + SimulatedKeys.delay + .milliseconds(lateness)
    call.run(until: keyAt - .milliseconds(1))
    #expect(call.shown.count == before, "frames without a key were shown")
    // Twice the time that media takes from the publisher to the receiver is more: no request is answered by then.
    call.run(until: keyAt + .milliseconds(50))
    #expect(call.shown.count > before, "the key frame that waited for its key wasn't shown")
    let shown = call.shown.count
    call.run(until: call.now + .seconds(1))
    #expect(call.shown.count - shown >= 20 && call.broken == 0 && call.undecodable == 0)
    // Those with the key of before never open.
    #expect(encryption.counts.framesDropped[.noKey, default: 0] > 0)
  }

  @Test("bad input 10: a join opens frames from then on; 3 s after a leave nothing opens")
  func joinAndLeave() throws {
    let call = try SimulatedCall(CallConditions(name: "join and leave", length: .seconds(8)).encrypted)
    call.run(until: call.started + .seconds(2))
    let guest = KeyRing()
    try call.keys.join("guest", guest, nil, now: call.now)
    call.run(until: call.now + .seconds(1))
    #expect(try opens(guest, call), "the guest has no key")
    call.keys.leave("guest", now: call.now)
    call.run(until: call.now + .seconds(3))
    #expect(try !opens(guest, call), "the guest can still hear")
    let before = call.shown.count
    call.run(until: call.now + .seconds(2))
    #expect(call.shown.count - before > 40)
    #expect(CallFigures(call).longestFreeze <= 0.5)
  }

  // MARK: Broken on purpose

  @Test("without keys nothing leaves")
  func nothingWithoutKeys() throws {
    var conditions = CallConditions(name: "no keys", length: .seconds(3)).encrypted
    conditions.encryption.insert(.withoutKeys)
    let call = try SimulatedCall(conditions).run()
    let sent = try counts(call.publisher)
    #expect(sent.framesSealed == 0 && sent.framesNotSent[.noKey, default: 0] > 100, "\(sent)")
    #expect(call.publisher.session.sender.statistics().allSatisfy { $0.packetsSent == 0 })
    #expect(call.shown.isEmpty && call.broken == 0)
  }

  @Test("bad input 4: frames that come in clear are not played, and counted")
  func plainFrames() throws {
    var conditions = CallConditions(name: "plain publisher", length: .seconds(3))
    conditions.encryption = .receiver
    let call = try SimulatedCall(conditions)
    // A publisher that was encrypted once: the receiver has its key.
    let ring = KeyRing()
    ring.setTrack(0, .microphone, now: call.now)
    ring.setTrack(1, .camera, now: call.now)
    try call.keys.join("publisher", ring, nil, now: call.now)
    call.run(until: call.started + .seconds(3))
    #expect(call.shown.isEmpty && call.broken == 0)
    let received = try counts(call.receiver)
    #expect(received.framesOpened == 0)
    #expect(received.framesDropped.values.reduce(0, +) > 100, "\(received)")
    let sound = call.receiver.session.slots.values.compactMap { ($0 as? AudioSlot)?.playout }
    #expect(sound.isEmpty, "plain sound has reached the decoder")
  }

  @Test("an encrypted publisher is not played by who has no keys at all")
  func plainReceiver() throws {
    var conditions = CallConditions(name: "plain receiver", length: .seconds(3))
    conditions.encryption = .publisher
    let call = try SimulatedCall(conditions).run()
    #expect(call.shown.isEmpty)
    #expect(try counts(call.publisher).framesSealed > 100)
  }

  @Test("bad input 7: somebody's picture in the slot of another is dropped")
  func otherSlot() throws {
    var conditions = CallConditions(name: "other slot", length: .seconds(3)).encrypted
    conditions.claimed = ("receiver", .camera)
    let call = try SimulatedCall(conditions).run()
    #expect(call.shown.isEmpty && call.broken == 0)
    #expect(try counts(call.receiver).framesDropped[.wrongSender, default: 0] > 20)
  }

  @Test("bad input 7: a camera in the slot of a screen is dropped, its sound is heard")
  func otherSource() throws {
    var conditions = CallConditions(name: "camera as screen", length: .seconds(3)).encrypted
    conditions.claimed = ("publisher", .screen)
    let call = try SimulatedCall(conditions).run()
    #expect(call.shown.isEmpty && call.broken == 0)
    let received = try counts(call.receiver)
    #expect(received.framesDropped[.wrongTrack, default: 0] > 20 && received.framesOpened > 100, "\(received)")
  }

  @Test("bad input 11: failures switch no key off: 10,000 forged frames, and it goes on")
  func forgedFrames() throws {
    let call = try SimulatedCall(CallConditions(name: "forged", length: .seconds(6)).encrypted)
    call.run(until: call.started + .seconds(2))
    let ring = try #require(call.receiver.session.encryption).keys
    let sender = try #require(call.publisher.session.encryption).keys
    var sealed: [UInt8] = []
    let frame: [UInt8] = [1, 2, 3]
    try sender.seal(frame.span, codec: .opaque, track: 0, now: call.now, appendingTo: &sealed)
    sealed[sealed.count - 5] ^= 1
    var plain: [UInt8] = []
    for _ in 0..<10_000 {
      #expect(throws: FrameDrop.self) {
        try ring.open(
          sealed.span, codec: .opaque, from: ParticipantID(rawValue: "publisher"), source: .microphone, now: call.now,
          appendingTo: &plain)
      }
    }
    #expect(plain.isEmpty)
    let before = call.shown.count
    call.run(until: call.now + .seconds(2))
    #expect(call.shown.count - before > 40)
  }
}
