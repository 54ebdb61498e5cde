import Basics
import MeetingServer
import RTC
import SFU
import Signaling

/// A media plane that moves no media. Its "SDP" is a list of words: `send:<mid>` for a section that sends,
/// `audio:<mid>` and `video:<mid>` for slots; an offer with the word `bad` is refused. A third part names the codecs of
/// a section, all without it: `video:4:VP8,H264`. A slot of which none is known is rejected.
actor TestMediaPlane: MediaPlane {
  enum Call: Sendable, Equatable {
    case join(String)
    case offer(String)
    case muted(String, Bool)
    case assign(String, [SlotChange])
    case views(String, [SlotSize])
    case leave(String)
    case close(String)
    case shutdown
  }

  /// A data message that the server sent.
  struct SentData: Sendable, Equatable {
    var bytes: [UInt8]
    var delivery: DataDelivery
    var to: Set<String>
  }

  private(set) var sentData: [SentData] = []
  private var dataContinuations: [String: AsyncStream<MeetingDataEvent>.Continuation] = [:]
  private var meetings: [String: String] = [:]
  private(set) var calls: [Call] = []
  private var participants: Set<String> = []
  private var events: [String: MediaEvents] = [:]
  private var gates: [CheckedContinuation<Void, Never>] = []
  private var isHolding = false
  /// The tracks of each join and offer.
  private(set) var offered: [[TrackOffer]] = []

  /// The participants who joined as of an encrypted meeting.
  private(set) var encrypted: Set<String> = []

  private var refusedOnce: Set<String> = []

  /// Sends an event to the room of a meeting.
  func report(_ event: MediaEvent) { for each in events.values { each.send(event) } }

  func report(quality: [String: ConnectionQuality]) {
    for (id, value) in quality { report(.quality(ParticipantID(rawValue: id), value)) }
  }

  func report(speakers: [SpeakerLevel]) {
    report(.speakers(speakers.map { .init(participant: ParticipantID(rawValue: $0.participant), level: $0.level) }))
  }

  func report(paused publications: [String], for receiver: String) {
    let paused = publications.map { PausedPublication(PublicationID(rawValue: $0), reason: .bandwidth) }
    report(.paused(ParticipantID(rawValue: receiver), paused))
  }

  /// The next assignment of this slot is refused.
  func refuse(slot mid: String) { refusedOnce.insert(mid) }

  /// Joins and offers are answered no sooner than ``release()`` is called.
  func hold() { isHolding = true }

  func release() {
    isHolding = false
    for gate in gates { gate.resume() }
    gates = []
  }

  /// Whether a join or an offer waits for ``release()``.
  var isWaiting: Bool { !gates.isEmpty }

  /// Participants with a connection.
  var connected: Set<String> { participants }

  func join(
    _ participant: ParticipantID, meeting: MeetingID, offer: String, tracks: [TrackOffer], reached: IPAddress?,
    isEncrypted: Bool, isSmall: Bool
  ) async throws(MediaWorkerError) -> OfferAnswer {
    calls.append(.join(participant.rawValue))
    if isEncrypted { encrypted.insert(participant.rawValue) }
    if isHolding { await withCheckedContinuation { gates.append($0) } }
    offered.append(tracks)
    let answer = try answer(offer, tracks)
    participants.insert(participant.rawValue)
    meetings[participant.rawValue] = meeting.rawValue
    return answer
  }

  func offer(
    _ participant: ParticipantID, offer: String, tracks: [TrackOffer]
  ) async throws(MediaWorkerError) -> OfferAnswer {
    calls.append(.offer(participant.rawValue))
    if isHolding { await withCheckedContinuation { gates.append($0) } }
    offered.append(tracks)
    guard participants.contains(participant.rawValue) else { throw .unknownParticipant }
    return try answer(offer, tracks)
  }

  func setMuted(_ muted: Bool, publication: PublicationID, of participant: ParticipantID) async {
    calls.append(.muted(publication.rawValue, muted))
  }

  func assign(_ changes: [SlotChange], of receiver: ParticipantID) async -> [MID] {
    calls.append(.assign(receiver.rawValue, changes))
    return changes.map(\.mid).filter { refusedOnce.remove($0.rawValue) != nil }
  }

  func setViews(_ views: [SlotSize], of receiver: ParticipantID) async {
    calls.append(.views(receiver.rawValue, views))
  }

  func leave(_ participant: ParticipantID) async {
    calls.append(.leave(participant.rawValue))
    participants.remove(participant.rawValue)
  }

  func events(of meeting: MeetingID) async -> MediaEvents {
    let events = MediaEvents()
    self.events[meeting.rawValue] = events
    return events
  }

  func dataEvents(of meeting: MeetingID) async -> AsyncStream<MeetingDataEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: MeetingDataEvent.self)
    dataContinuations[meeting.rawValue] = continuation
    return stream
  }

  func sendData(_ message: [UInt8], _ delivery: DataDelivery, to participants: [ParticipantID]) async {
    sentData.append(SentData(bytes: message, delivery: delivery, to: Set(participants.map(\.rawValue))))
  }

  /// A worker's report when `participant` sends over its data channel.
  func receive(_ bytes: [UInt8], _ delivery: DataDelivery, from participant: String) {
    guard let meeting = meetings[participant] else { return }
    dataContinuations[meeting]?.yield(.message(from: ParticipantID(rawValue: participant), delivery, bytes))
  }

  /// A worker's report about `participant` beyond messages.
  func reportData(_ event: MeetingDataEvent, of participant: String) {
    guard let meeting = meetings[participant] else { return }
    dataContinuations[meeting]?.yield(event)
  }

  func close(meeting: MeetingID) async {
    dataContinuations.removeValue(forKey: meeting.rawValue)?.finish()
    calls.append(.close(meeting.rawValue))
    events.removeValue(forKey: meeting.rawValue)?.finish()
  }

  func reload(_ configuration: ServerConfiguration) async {}

  func shutdown() async { calls.append(.shutdown) }

  func metrics() async -> String { "test_media 1\n" }

  private func answer(_ offer: String, _ tracks: [TrackOffer]) throws(MediaWorkerError) -> OfferAnswer {
    let words = offer.split(separator: " ")
    if words.contains("bad") { throw .badOffer("The offer is bad.") }
    var accepted: [MID: [NegotiatedCodec]] = [:]
    var slots: [NegotiatedSlot] = []
    var rejected: [MID: RejectedMedia] = [:]
    for word in words {
      let parts = word.split(separator: ":")
      guard parts.count >= 2 else { continue }
      let mid = MID(rawValue: String(parts[1]))
      let names = parts.count > 2 ? parts[2].split(separator: ",").map(String.init) : nil
      func codecs(_ kind: MediaKind) -> [NegotiatedCodec] {
        names.map { $0.compactMap { Self.codec($0) } } ?? Self.all(kind)
      }
      func slot(_ kind: MediaKind) {
        let codecs = codecs(kind)
        guard !codecs.isEmpty else {
          rejected[mid] = RejectedMedia(kind: kind, role: .send, reason: "Nobody forwards its codecs.")
          return
        }
        slots.append(NegotiatedSlot(mid: mid, kind: kind, codecs: codecs))
      }
      switch parts[0] {
      case "send":
        if let kind = tracks.first(where: { $0.mid == mid })?.kind { accepted[mid] = codecs(kind) }
      case "audio": slot(.audio)
      case "video": slot(.video)
      default: break
      }
    }
    return OfferAnswer(sdp: "answer to \(offer)", accepted: accepted, slots: slots, rejected: rejected)
  }

  private static func all(_ kind: MediaKind) -> [NegotiatedCodec] {
    (kind == .audio ? ["red", "opus"] : ["VP8", "VP9", "H264", "AV1"]).compactMap { codec($0) }
  }

  /// The codec of a name; `H264-0` and `H264-high` for H.264 in packetization mode 0 and in a profile that decoders of
  /// `H264` do not know.
  static func codec(_ name: String) -> NegotiatedCodec? {
    func make(_ type: UInt8, _ codec: Codec, _ parameters: String? = nil) -> NegotiatedCodec {
      NegotiatedCodec(
        payloadType: PayloadType(rawValue: type), codec: codec, parameters: parameters.map { FormatParameters($0) })
    }
    return switch name {
    case "red": make(63, .red, "111/111")
    case "opus": make(111, .opus)
    case "VP8": make(96, .vp8)
    case "VP9": make(98, .vp9, "profile-id=0")
    case "H264": make(103, .h264, "packetization-mode=1;profile-level-id=42e01f")
    case "H264-0": make(105, .h264, "packetization-mode=0;profile-level-id=42e01f")
    case "H264-high": make(107, .h264, "packetization-mode=1;profile-level-id=640032")
    case "AV1": make(45, .av1)
    default: nil
    }
  }
}
