public import Basics
public import RTC

/// The routing of one meeting on one worker: who sends what, who receives what, and everything in between.
///
/// It does no I/O and reads no clock. Decrypted packets go in by ``receiveRTP(_:header:from:now:)`` and
/// ``receiveRTCP(_:from:now:)``; they wait until ``flush(now:batch:to:)`` writes each receiver's copies, all of one
/// receiver after the other, so that its keys and the output stay in the cache and what belongs together leaves
/// together. Reports and requests are written by ``handleTimeout(now:batch:to:)`` when ``deadline`` has come;
/// ``pollEvent()`` gives the rest.
///
/// Not thread-safe: it lives on one worker. A forwarded packet allocates nothing.
public final class Router {
  public internal(set) var counters = RouterCounters()
  /// The participants by number; nil where one has left.
  private(set) var members: ContiguousArray<Member?> = []

  let clock: NTPClock
  var random: RouterRandom
  /// Publications and streams with packets that wait to be forwarded, how many there are, and receivers with
  /// retransmissions.
  let readyStreams = ReadyStreams()
  var waiting = 0
  /// Decides when waiting packets leave.
  let hold: BatchingPolicy
  var resending: ContiguousArray<Egress> = []
  /// Receivers whose connections are new, see ``start(_:_:_:)``. Assigned as a whole, as ``members``.
  var starting: ContiguousArray<Egress> = []
  /// How many audio streams have a turn in this flush; for each turn its packet's length, and the slot of the receiver
  /// under way that it goes to, -1 for none.
  var turnCount = 0
  let turnLengths = FixedTable<UInt16>(repeating: 0, count: 64)
  let turnSlots = FixedTable<Int32>(repeating: -1, count: 64)
  var publicationsByID: [PublicationID: Publication] = [:]
  var speakers = ActiveSpeakers()
  var loudest: LoudestSpeakers
  /// The publication of each voice.
  var voiceOwners: ContiguousArray<Publication?> = []
  var relayState = RelayState()
  private var events: [MediaEvent] = []
  private var eventsRead = 0
  /// Events since ``maximumEvents`` of them were unread.
  private var backlog = EventBacklog()
  /// Whether there are any: asked after each packet, and a plain number needs no check for exclusive access.
  private var hasEvents = false
  var deadlines = DeadlineHeap()
  /// Publications whose demand has not been settled.
  var unsettled: ContiguousArray<Publication> = []
  /// Memory for the numbers of one request and the blocks of one report.
  var lost = [SequenceNumber](repeating: SequenceNumber(rawValue: 0), count: 256)
  var blocks: [ReportBlock] = []
  /// Whether each receiver's targets follow what its path takes; false leaves them to ``setTarget(_:of:)``.
  public var dividesBandwidth = true
  /// Memory for one receiver's allocation.
  var allocating = AllocationMemory()
  /// The participant who speaks; -1 for nobody.
  private var activeSpeaker: Int?

  /// Beyond so many unread events a later one replaces an earlier one of the same subject; see ``EventBacklog``.
  static let maximumEvents = 1_024

  /// A router of an empty meeting.
  /// - Parameters: - clock: Ties instants to wall-clock time, for reports. - seed: Seed of random stream numbers;
  ///   unpredictable in production. - audioLoudest: How many voices the slots that follow the loudest carry, 1 to 8. -
  ///   maximumHold: The longest that packets may wait so that more of them leave together.
  public init(clock: NTPClock, seed: UInt64, audioLoudest: Int = 5, maximumHold: TimeSpan = .milliseconds(5)) {
    self.clock = clock
    hold = BatchingPolicy(maximum: maximumHold)
    loudest = LoudestSpeakers(places: audioLoudest)
    random = RouterRandom(seed: seed)
    resending.reserveCapacity(16)
  }

  // MARK: Members

  public func add(_ id: ParticipantID, now: Instant) -> Member {
    let index = members.firstIndex { $0 == nil } ?? members.count
    let member = Member(
      id: id, index: index, reporter: SSRC(rawValue: random.next32() | 1), clock: clock, now: now)
    replaceMember(at: index, by: member)
    schedule(member)
    return member
  }

  /// Removes a participant with its publications and slots.
  public func remove(_ member: Member) {
    guard members.indices.contains(member.index), members[member.index] === member else { return }
    for publication in member.ingress.publications { unpublish(publication, of: member) }
    for subscription in member.egress.subscriptions {
      cancelAwaiting(subscription)
      detach(subscription)
    }
    member.egress.close()
    member.egress.removeAll()
    member.ingress.removeAll()
    replaceMember(at: member.index, by: nil)
    deadlines.set(.distantFuture, for: member.index)
    if hasEvents { backlog.removeAll(of: member.id) }
  }

  // Assigned as a whole, since an array that is changed in place is checked for exclusive access by who reads it, for
  // each packet. Taken out while it is changed, so that it is not copied.
  private func replaceMember(at index: Int, by member: Member?) {
    var others = members
    members = []
    if index == others.count { others.append(member) } else { others[index] = member }
    members = others
  }

  /// How many participants there are.
  public var memberCount: Int { members.count { $0 != nil } }

  // MARK: Time

  /// When ``handleTimeout(now:batch:to:)`` should be called.
  public var deadline: Instant {
    let earliest = min(min(deadlines.earliest, speakers.deadline), relayDeadline)
    return unsettled.isEmpty ? earliest : min(earliest, demandDeadline)
  }

  /// Writes the reports and requests that are due.
  public func handleTimeout<Sink: PacketSink>(now: Instant, batch: OutputBatch, to sink: Sink) {
    while let index = deadlines.popDue(now: now) {
      guard members.indices.contains(index) else { continue }
      // Nobody leaves in this loop.
      members.reference(at: index).use { member in
        member.scheduled = .distantFuture
        writeReports(to: member, now: now, batch: batch, sink: sink)
        serveBandwidth(of: member, now: now, batch: batch, sink: sink)
        schedule(member)
      }
    }
    if !unsettled.isEmpty { settleDemands(now: now) }
    serveRelays(now: now)
    if let heard = speakers.poll(now: now) {
      activeSpeaker = heard.first?.participant
      emit(
        .speakers(
          heard.compactMap { speaker in
            if let name = relayState.name(remote: speaker.participant) {
              return ActiveSpeaker(participant: name, level: speaker.level)
            }
            guard members.indices.contains(speaker.participant), let member = members[speaker.participant] else {
              return nil
            }
            return ActiveSpeaker(participant: member.id, level: speaker.level)
          }))
    }
  }

  /// Whether `publication` is of the one who speaks.
  func isOfActiveSpeaker(_ publication: Publication) -> Bool {
    activeSpeaker == publication.origin?.participant.number ?? publication.participant
  }

  /// The next event; nil when there is none. `connected` and `lost` are not reported by a router.
  public func pollEvent() -> MediaEvent? {
    guard hasEvents else { return nil }
    if eventsRead < events.count {
      eventsRead += 1
      return events[eventsRead - 1]
    }
    if let event = backlog.popFirst() { return event }
    events.removeAll(keepingCapacity: true)
    eventsRead = 0
    hasEvents = false
    return nil
  }

  func emit(_ event: MediaEvent) {
    hasEvents = true
    if events.count < Self.maximumEvents { events.append(event) } else { backlog.append(event) }
  }

  /// Drops what is in the backlog about a publication that has ended.
  func removeEvents(of publication: PublicationID) { if hasEvents { backlog.removeAll(of: publication) } }

  /// Brings the member's place in the heap of deadlines up to date.
  @inline(__always)
  func schedule(_ member: Member) {
    let deadline = member.deadline
    guard deadline != member.scheduled else { return }
    member.scheduled = deadline
    deadlines.set(deadline, for: member.index)
  }
}
