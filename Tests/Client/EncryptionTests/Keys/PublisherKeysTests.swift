import Basics
import Crypto
import Testing

@testable import Encryption

@Suite("Keys of a publisher")
struct PublisherKeysTests {
  private func id(_ name: String) -> ParticipantID { ParticipantID(rawValue: name) }

  /// A publisher of a camera, whose key these have.
  private func publisher(_ members: String...) throws -> (PublisherKeys, Set<ParticipantID>, first: SecretBytes) {
    var keys = PublisherKeys(
      senderIndex: 1, timing: KeyTiming(), limits: .standard, random: KeyExchange.systemRandom)
    let members = Set(members.map(id))
    let sent = try keys.setTracks([1: .camera], members: members, now: .zero)
    return (keys, members, try #require(sent.first?.baseKey))
  }

  @Test("a joiner that waits for the ratchet gets nothing by asking, then the next step")
  func noEarlyKey() throws {
    var (keys, members, first) = try publisher("ann")
    members.formUnion([id("ben"), id("cem")])
    #expect(keys.memberJoined(id("ben"), now: .zero).isEmpty)
    let ben = try keys.handleTimeout(members: members, now: .zero)
    #expect(ben.map(\.recipient) == [id("ben")])
    let next = try SFrameSuite.aes128GCM.ratchet(first)
    #expect(ben.first?.baseKey == next)
    let soon = Instant.milliseconds(30)
    #expect(keys.memberJoined(id("cem"), now: soon).isEmpty)
    #expect(keys.requested(by: id("cem"), now: soon).isEmpty)
    #expect(keys.requested(by: id("stranger"), now: soon).isEmpty)
    #expect(keys.requested(by: id("ben"), now: soon) == ben)
    #expect(keys.requested(by: id("ben"), now: .milliseconds(1_000)).isEmpty)
    #expect(keys.deadline == .milliseconds(100))
    let cem = try keys.handleTimeout(members: members, now: .milliseconds(100))
    #expect(cem.map(\.recipient) == [id("cem")] && keys.epoch == 3)
    #expect(cem.first?.baseKey == (try SFrameSuite.aes128GCM.ratchet(next)))
  }

  @Test("people who join one after the other don't wait; a storm costs two steps a second")
  func paceOfSteps() throws {
    /// Joins so far apart, for 20 s; the steps, and how long somebody waited for theirs at most, in milliseconds.
    func outcome(apart: Int64) throws -> (steps: [Instant], longestWait: Int64) {
      var (keys, members, _) = try publisher("ann")
      let start = Instant.zero + .seconds(100)
      var (steps, longest): ([Instant], TimeSpan) = ([], .zero)
      var waiting: [ParticipantID: Instant] = [:]
      for milliseconds in stride(from: Int64(0), to: 22_000, by: 10) {
        let now = start + .milliseconds(milliseconds)
        if milliseconds < 20_000, milliseconds % apart == 0 {
          let guest = id("guest\(milliseconds)")
          members.insert(guest)
          waiting[guest] = now
          _ = keys.memberJoined(guest, now: now)
        }
        guard keys.deadline.map({ $0 <= now }) ?? false else { continue }
        steps.append(now)
        for delivery in try keys.handleTimeout(members: members, now: now) {
          if let since = waiting.removeValue(forKey: delivery.recipient) { longest = max(longest, now - since) }
        }
      }
      #expect(waiting.isEmpty)
      return (steps, longest.nanoseconds / 1_000_000)
    }
    let alone = try outcome(apart: 600)
    #expect(alone.steps.count == 34 && alone.longestWait == 0)
    let storm = try outcome(apart: 10)
    #expect(storm.steps.count <= 45 && storm.longestWait <= 500)
    #expect(zip(storm.steps, storm.steps.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(100) })
    #expect(storm.steps.count { $0 < storm.steps[0] + .seconds(1) } <= 5)
  }

  @Test("a key frame follows each key that somebody new can open")
  func newReaders() throws {
    var (keys, members, _) = try publisher("ann")
    var changes = [keys.takeNewReaders()]
    members.insert(id("ben"))
    _ = keys.memberJoined(id("ben"), now: .zero)
    changes.append(keys.takeNewReaders())
    _ = try keys.handleTimeout(members: members, now: .zero)
    changes += [keys.takeNewReaders(), keys.takeNewReaders()]
    #expect(keys.epoch == 2 && changes == [false, false, true, false])
    // The key after a leave is for those who could open the one before.
    members.remove(id("ben"))
    keys.memberLeft(id("ben"), isRemoved: true, now: .milliseconds(5_000))
    _ = try keys.handleTimeout(members: members, now: .milliseconds(5_000))
    keys.acknowledged(by: id("ann"), epoch: 3)
    changes = [keys.takeNewReaders()]
    #expect(keys.epoch == 3 && changes == [false])
    // Somebody else joins while the key after a leave waits.
    members.remove(id("ann"))
    keys.memberLeft(id("ann"), isRemoved: true, now: .milliseconds(10_000))
    _ = keys.memberJoined(id("dan"), now: .milliseconds(9_000))
    members.insert(id("dan"))
    _ = try keys.handleTimeout(members: members, now: .milliseconds(10_000))
    changes = [keys.takeNewReaders()]
    _ = keys.memberJoined(id("eve"), now: .milliseconds(10_100))
    keys.acknowledged(by: id("dan"), epoch: 4)
    changes.append(keys.takeNewReaders())
    keys.acknowledged(by: id("eve"), epoch: 4)
    changes.append(keys.takeNewReaders())
    #expect(keys.epoch == 4 && changes == [false, false, true])
  }

  @Test("a leave replaces a new key that waits, and each departure keeps its own deadline")
  func deadlines() throws {
    var (keys, members, _) = try publisher("ann", "ben", "cem", "dan")
    members.remove(id("ben"))
    keys.memberLeft(id("ben"), isRemoved: true, now: .zero)
    let second = try keys.handleTimeout(members: members, now: .zero)
    #expect(second.map(\.epoch) == [2, 2, 2])
    // Cem has the key that waits, and goes too; nobody acknowledges anything.
    members.remove(id("cem"))
    keys.memberLeft(id("cem"), isRemoved: true, now: .milliseconds(600))
    let third = try keys.handleTimeout(members: members, now: .milliseconds(600))
    #expect(third.map(\.epoch) == [3, 3])
    #expect(keys.epoch == 1)
    // Ben's two seconds are over, and the key that comes into use is one that Cem has not either.
    #expect(keys.deadline == .milliseconds(2_000))
    _ = try keys.handleTimeout(members: members, now: .milliseconds(2_000))
    #expect(keys.epoch == 3)
    #expect(keys.deadline ?? .zero > .milliseconds(60_000))
  }

  @Test("somebody who leaves before they had a key costs no rotation")
  func withoutKey() throws {
    var (keys, members, _) = try publisher("ann")
    _ = keys.memberJoined(id("ben"), now: .zero)
    _ = try keys.handleTimeout(members: members.union([id("ben")]), now: .zero)
    _ = keys.memberJoined(id("cem"), now: .milliseconds(100))
    keys.memberLeft(id("cem"), isRemoved: false, now: .milliseconds(200))
    #expect(keys.deadline ?? .zero > .milliseconds(60_000))
    members.formUnion([id("ben")])
    #expect(try keys.handleTimeout(members: members, now: .milliseconds(5_000)).isEmpty)
  }

  @Test("a new key is in use as soon as all have acknowledged it, and not before")
  func acknowledgements() throws {
    var (keys, members, _) = try publisher("ann", "ben", "cem")
    members.remove(id("cem"))
    keys.memberLeft(id("cem"), isRemoved: true, now: .zero)
    _ = try keys.handleTimeout(members: members, now: .zero)
    keys.acknowledged(by: id("ann"), epoch: 2)
    keys.acknowledged(by: id("ben"), epoch: 1)
    keys.acknowledged(by: id("cem"), epoch: 2)
    #expect(keys.epoch == 1)
    keys.acknowledged(by: id("ben"), epoch: 2)
    #expect(keys.epoch == 2)
  }
}
