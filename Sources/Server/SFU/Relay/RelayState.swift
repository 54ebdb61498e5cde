import Basics

/// A router's relays and their timers.
struct RelayState {
  /// Participants at other ends have numbers from here on.
  static let firstRemoteNumber = 1 << 24
  /// Slots that may wait for a publication that was not announced yet.
  static let maximumAwaiting = 16_384
  /// Between two reports of who is audible.
  static let voiceInterval = TimeSpan.milliseconds(100)
  /// Between two reports of what receivers lose.
  static let lossInterval = TimeSpan.seconds(1)
  /// Between two tries to write what a full ring did not take.
  static let backlogInterval = TimeSpan.milliseconds(5)

  var relays: ContiguousArray<Relay> = []
  /// Every publication of the router, by the low 16 bits of its number.
  var published: ContiguousArray<Publication?> = []
  var generations: ContiguousArray<UInt16> = []
  var free: ContiguousArray<Int> = []
  /// Slots that are to carry what has not been announced yet.
  var awaiting: [PublicationID: ContiguousArray<Subscription>] = [:]
  var awaitingCount = 0
  /// Names of participants at other ends, by their number.
  var remoteNames: ContiguousArray<ParticipantID?> = []
  /// When keyframes are to be asked for over relays.
  var keyframeDeadline = Instant.distantFuture
  /// The next report to the other routers of who is audible.
  var voiceDeadline = Instant.distantFuture
  /// The next report to them of the losses of receivers here.
  var lossDeadline = Instant.distantFuture
  /// Publications that a full ring did not take all packets of, and when that is tried again.
  var owing: ContiguousArray<Publication> = []
  var backlogDeadline = Instant.distantFuture

  /// A number for `publication`; nil when there are 65,536 already.
  mutating func enter(_ publication: Publication) -> UInt32? {
    let index: Int
    if let reused = free.popLast() {
      index = reused
      generations[index] &+= 1
      published[index] = publication
    } else {
      guard published.count < 0x1_0000 else { return nil }
      index = published.count
      published.append(publication)
      generations.append(1)
    }
    return UInt32(generations[index]) << 16 | UInt32(index)
  }

  mutating func leave(_ number: UInt32) {
    let index = Int(number & 0xFFFF)
    guard number != 0, index < published.count, published[index]?.number == number else { return }
    published[index] = nil
    free.append(index)
  }

  func publication(_ number: UInt32) -> Publication? {
    let index = Int(number & 0xFFFF)
    guard index < published.count, let publication = published[index], publication.number == number else { return nil }
    return publication
  }

  /// A number for a participant at another end.
  mutating func enter(_ name: ParticipantID) -> Int {
    let index = remoteNames.firstIndex { $0 == nil } ?? remoteNames.count
    if index == remoteNames.count { remoteNames.append(name) } else { remoteNames[index] = name }
    return Self.firstRemoteNumber + index
  }

  mutating func leave(remote number: Int) {
    let index = number - Self.firstRemoteNumber
    if remoteNames.indices.contains(index) { remoteNames[index] = nil }
  }

  func name(remote number: Int) -> ParticipantID? {
    let index = number - Self.firstRemoteNumber
    return remoteNames.indices.contains(index) ? remoteNames[index] : nil
  }
}
